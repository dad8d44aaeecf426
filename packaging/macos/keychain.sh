#!/bin/sh
# On a hosted Mac: put the Developer ID into a keychain of its own, and the notary's key into a file.
# Wants CERTIFICATE (base64 of a .p12), CERTIFICATE_PASSWORD and NOTARY_KEY (the text of a .p8) in the
# environment, RUNNER_TEMP and GITHUB_ENV as hosted runners set them. Without a certificate it does
# nothing: the app is then signed ad hoc.
set -eu
if [ -z "${CERTIFICATE:-}" ]; then
	echo "No certificate: signed ad hoc, not notarised."
	exit 0
fi
umask 077
keychain=$RUNNER_TEMP/stretto.keychain-db
password=$(openssl rand -hex 16)
printf %s "$CERTIFICATE" | base64 --decode > "$RUNNER_TEMP/certificate.p12"
security create-keychain -p "$password" "$keychain"
security set-keychain-settings -lut 3600 "$keychain"
security unlock-keychain -p "$password" "$keychain"
security import "$RUNNER_TEMP/certificate.p12" -P "$CERTIFICATE_PASSWORD" -A -t cert -f pkcs12 -k "$keychain"
security set-key-partition-list -S apple-tool:,apple: -k "$password" "$keychain" > /dev/null
security list-keychains -d user -s "$keychain" login.keychain-db
rm "$RUNNER_TEMP/certificate.p12"
identity=$(security find-identity -v -p codesigning "$keychain" | sed -n 's/.*"\(Developer ID Application: .*\)"/\1/p' | head -1)
[ -n "$identity" ] || { echo "The certificate is no Developer ID Application."; exit 1; }
echo "STRETTO_CODESIGN_IDENTITY=$identity" >> "$GITHUB_ENV"
if [ -n "${NOTARY_KEY:-}" ]; then
	printf %s "$NOTARY_KEY" > "$RUNNER_TEMP/notary.p8"
	echo "STRETTO_NOTARY_KEY=$RUNNER_TEMP/notary.p8" >> "$GITHUB_ENV"
fi
