<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ja" sourcelanguage="en">
<context>
    <name>Stretto</name>
    <message>
        <source>The chats are closed.</source>
        <translation>チャットは閉じています。</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新規チャット</translation>
    </message>
    <message>
        <source>Recovered chat</source>
        <translation>復旧したチャット</translation>
    </message>
    <message numerus="yes">
        <source>%n change couldn’t be saved. {why}</source>
        <comment>%n changes couldn’t be saved. {why}</comment>
        <translation>
            <numerusform>%n件の変更を保存できませんでした。{why}</numerusform>
        </translation>
    </message>
    <message>
        <source>{server} refused: {why}</source>
        <translation>{server}が拒否しました: {why}</translation>
    </message>
    <message>
        <source>{server} didn’t start within {seconds} s.</source>
        <translation>{server}は{seconds}秒以内に起動しませんでした。</translation>
    </message>
    <message>
        <source>{server} couldn’t be reached: {why}</source>
        <translation>{server}に接続できませんでした: {why}</translation>
    </message>
    <message>
        <source>The program “{program}” wasn’t found. Install it, or enter its full path.</source>
        <translation>プログラム「{program}」が見つかりません。インストールするか、フルパスを入力してください。</translation>
    </message>
    <message>
        <source>New file {path}</source>
        <translation>新規ファイル{path}</translation>
    </message>
    <message>
        <source>Links aren’t followed.</source>
        <translation>リンクはたどりません。</translation>
    </message>
    <message>
        <source>It couldn’t be opened: {why}.</source>
        <translation>開けませんでした: {why}。</translation>
    </message>
    <message>
        <source>The server has no name. Write it as {&quot;name&quot;: {&quot;command&quot;: …}}.</source>
        <translation>サーバに名前がありません。{&quot;name&quot;: {&quot;command&quot;: …}}のように書いてください。</translation>
    </message>
    <message>
        <source>its name looks like that of “{other}”</source>
        <translation>名前が「{other}」と見分けがつきません</translation>
    </message>
    <message>
        <source>{path} couldn’t be read: {why}.</source>
        <translation>{path}を読み取れませんでした: {why}。</translation>
    </message>
    <message>
        <source>New message</source>
        <translation>新規メッセージ</translation>
    </message>
    <message>
        <source>Compare…  Ctrl+Alt+C</source>
        <translation>比較…  Ctrl+Alt+C</translation>
    </message>
    <message>
        <source>Editing a queued message.</source>
        <translation>順番待ちのメッセージを編集中。</translation>
    </message>
    <message>
        <source>Broadcast  Ctrl+Shift+B</source>
        <translation>一斉送信  Ctrl+Shift+B</translation>
    </message>
    <message>
        <source>Join Broadcast  Ctrl+Alt+B</source>
        <translation>一斉送信に加わる  Ctrl+Alt+B</translation>
    </message>
    <message>
        <source>Message…</source>
        <translation>メッセージ…</translation>
    </message>
    <message>
        <source>Enter</source>
        <comment>the key</comment>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Stop  Esc</source>
        <translation>停止  Esc</translation>
    </message>
    <message>
        <source>Send  {keys}</source>
        <translation>送信  {keys}</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>メッセージ</translation>
    </message>
    <message numerus="yes">
        <source>The text is %Ln characters long. A message takes {most}.</source>
        <comment>The text is %Ln characters long. A message takes {most}.</comment>
        <translation>
            <numerusform>テキストは%Ln文字あります。メッセージは{most}文字までです。</numerusform>
        </translation>
    </message>
    <message>
        <source>File {name}, {about}</source>
        <translation>ファイル{name}、{about}</translation>
    </message>
    <message>
        <source>Restore from Backup</source>
        <translation>バックアップから復元</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>バックアップ</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>復元</translation>
    </message>
    <message>
        <source>Close Tab</source>
        <translation>タブを閉じる</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
    <message>
        <source>Close Others</source>
        <translation>ほかを閉じる</translation>
    </message>
    <message>
        <source>Detach</source>
        <translation>切り離す</translation>
    </message>
    <message>
        <source>Unpin (Dock)</source>
        <translation>固定を解除（ドック）</translation>
    </message>
    <message>
        <source>Minimize</source>
        <translation>最小化</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今日</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>昨日</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>ピンで固定</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>それ以前</translation>
    </message>
    <message>
        <source>dddd d MMMM yyyy</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>yyyy年M月d日 dddd</translation>
    </message>
    <message>
        <source>dddd d MMMM</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>M月d日 dddd</translation>
    </message>
    <message>
        <source>{size} · before an update</source>
        <translation>{size} · アップデート前</translation>
    </message>
    <message>
        <source>Crash Report</source>
        <translation>クラッシュレポート</translation>
    </message>
    <message>
        <source>Stretto had a problem last time</source>
        <translation>前回Strettoで問題が起きました</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>レポート</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>コピー</translation>
    </message>
    <message>
        <source>Show File</source>
        <translation>ファイルを表示</translation>
    </message>
    <message>
        <source>The report can’t be read: {error}</source>
        <translation>レポートを読み取れません: {error}</translation>
    </message>
    <message>
        <source>Your chats can’t be read</source>
        <translation>チャットを読み取れません</translation>
    </message>
    <message>
        <source>Stretto can’t write to your chats</source>
        <translation>チャットに書き込めません</translation>
    </message>
    <message>
        <source>The disk is full</source>
        <translation>ディスクがいっぱいです</translation>
    </message>
    <message>
        <source>The disk that holds {place} is full. Free some space, then try again.</source>
        <translation>{place}のあるディスクがいっぱいです。空き容量を増やしてから、もう一度お試しください。</translation>
    </message>
    <message>
        <source>Your chats couldn’t be opened</source>
        <translation>チャットを開けませんでした</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>終了</translation>
    </message>
    <message>
        <source>Try Again</source>
        <translation>再試行</translation>
    </message>
    <message>
        <source>Start Empty and Keep the File</source>
        <translation>ファイルを残して空の状態で始める</translation>
    </message>
    <message>
        <source>Use Another Folder…</source>
        <translation>別のフォルダを使用…</translation>
    </message>
    <message>
        <source>Use Another Folder</source>
        <translation>別のフォルダを使用</translation>
    </message>
    <message>
        <source>Your latest changes aren’t saved</source>
        <translation>最新の変更が保存されていません</translation>
    </message>
    <message>
        <source>Quit Without Saving</source>
        <translation>保存せずに終了</translation>
    </message>
    <message>
        <source>About Stretto</source>
        <translation>Strettoについて</translation>
    </message>
    <message>
        <source>Version {version}</source>
        <translation>バージョン{version}</translation>
    </message>
    <message>
        <source>Licenses…</source>
        <translation>ライセンス…</translation>
    </message>
    <message>
        <source>Web page (HTML)</source>
        <translation>Webページ（HTML）</translation>
    </message>
    <message>
        <source>Plain text</source>
        <translation>プレーンテキスト</translation>
    </message>
    <message>
        <source>Export Chats</source>
        <translation>チャットを書き出す</translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation>Markdownとしてコピー</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>書き出す…</translation>
    </message>
    <message>
        <source>Seeds</source>
        <translation>シード</translation>
    </message>
    <message>
        <source>Temperatures</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>{model} {kept} of {times}</source>
        <translation>{model} {times}回中{kept}回</translation>
    </message>
    <message>
        <source>Kept so far: {models}</source>
        <translation>これまでに残した回答: {models}</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比較</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Seed {n}</source>
        <translation>シード{n}</translation>
    </message>
    <message>
        <source>Temperature {value}</source>
        <translation>温度{value}</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>チャット</translation>
    </message>
    <message>
        <source>There’s no chat to export yet.</source>
        <translation>書き出せるチャットはまだありません。</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>書き出す</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message numerus="yes">
        <source>{done} of %Ln chats</source>
        <comment>{done} of %Ln chats</comment>
        <translation>
            <numerusform>%Ln件中{done}件のチャット</numerusform>
        </translation>
    </message>
    <message>
        <source>The export failed: {name}.</source>
        <translation>書き出しに失敗しました: {name}。</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>一時停止中</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>一時停止</translation>
    </message>
    <message>
        <source>Import Chats</source>
        <translation>チャットを読み込む</translation>
    </message>
    <message>
        <source>Choose Files…</source>
        <translation>ファイルを選択…</translation>
    </message>
    <message>
        <source>Choose Folder…</source>
        <translation>フォルダを選択…</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>すべてのファイル</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>読み込む</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>読み取り中…</translation>
    </message>
    <message>
        <source>The import failed: {why}.</source>
        <translation>読み込みに失敗しました: {why}。</translation>
    </message>
    <message>
        <source>Licenses</source>
        <translation>ライセンス</translation>
    </message>
    <message>
        <source>License</source>
        <translation>ライセンス</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>置き換える</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>プロンプト</translation>
    </message>
    <message>
        <source>Explain {{topic}} to {{audience}} in three sentences.</source>
        <translation>{{topic}}を{{audience}}に3文で説明してください。</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新規</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>削除</translation>
    </message>
    <message>
        <source>New prompt</source>
        <translation>新規プロンプト</translation>
    </message>
    <message>
        <source>There’s no prompt to delete</source>
        <translation>削除できるプロンプトはありません</translation>
    </message>
    <message>
        <source>A prompt needs a name. It is still called “{before}”.</source>
        <translation>プロンプトには名前が必要です。名前は「{before}」のままです。</translation>
    </message>
    <message>
        <source>Keyboard Shortcuts</source>
        <translation>キーボードショートカット</translation>
    </message>
    <message>
        <source>{command}: {keys}, changed. Change</source>
        <translation>{command}: {keys}（変更済み）。変更</translation>
    </message>
    <message>
        <source>{command}: {keys}. Change</source>
        <translation>{command}: {keys}。変更</translation>
    </message>
    <message>
        <source>none</source>
        <comment>no keys</comment>
        <translation>なし</translation>
    </message>
    <message>
        <source>In a chat</source>
        <translation>チャット内</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>設定</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>ゴミ箱</translation>
    </message>
    <message>
        <source>Deleted chats</source>
        <translation>削除したチャット</translation>
    </message>
    <message>
        <source>Delete Now</source>
        <translation>今すぐ削除</translation>
    </message>
    <message>
        <source>Empty Trash</source>
        <translation>ゴミ箱を空にする</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>残す</translation>
    </message>
    <message>
        <source>Choose a chat first</source>
        <translation>先にチャットを選択してください</translation>
    </message>
    <message numerus="yes">
        <source>Deleted %n day ago</source>
        <comment>Deleted %n days ago</comment>
        <translation>
            <numerusform>%n日前に削除</numerusform>
        </translation>
    </message>
    <message>
        <source>Deleted yesterday</source>
        <translation>昨日削除</translation>
    </message>
    <message>
        <source>Deleted today</source>
        <translation>今日削除</translation>
    </message>
    <message>
        <source>Open Download Page</source>
        <translation>ダウンロードページを開く</translation>
    </message>
    <message>
        <source>Skip This Version</source>
        <translation>このバージョンをスキップ</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>あとで</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>コマンド</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>チャット</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>ディスク上</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>サイズ</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>In memory</source>
        <translation>メモリ</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>設定</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>プロンプト</translation>
    </message>
    <message>
        <source>Resource</source>
        <translation>リソース</translation>
    </message>
    <message>
        <source>Not possible now: {why}</source>
        <translation>今は使えません: {why}</translation>
    </message>
    <message>
        <source>Found</source>
        <comment>the list of what was found</comment>
        <translation>検索結果</translation>
    </message>
    <message>
        <source>Command palette</source>
        <translation>コマンドパレット</translation>
    </message>
    <message>
        <source>Up and Down choose, Enter opens, Esc closes</source>
        <translation>上下キーで選択、Enterで開く、Escで閉じる</translation>
    </message>
    <message>
        <source>Edit Prompts…</source>
        <translation>プロンプトを編集…</translation>
    </message>
    <message>
        <source>Write a Prompt…</source>
        <translation>プロンプトを書く…</translation>
    </message>
    <message>
        <source>Free text</source>
        <translation>自由なテキスト</translation>
    </message>
    <message>
        <source>Pattern</source>
        <translation>パターン</translation>
    </message>
    <message>
        <source>Schema</source>
        <translation>スキーマ</translation>
    </message>
    <message>
        <source>Choices</source>
        <translation>選択肢</translation>
    </message>
    <message numerus="yes">
        <source>{used} of {limit} tokens</source>
        <comment>{used} of {limit} tokens</comment>
        <translation>
            <numerusform>{used}/{limit}トークン</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{used} of {limit} tokens of context</source>
        <comment>{used} of {limit} tokens of context</comment>
        <translation>
            <numerusform>コンテキスト{used}/{limit}トークン</numerusform>
        </translation>
    </message>
    <message>
        <source>Context: {words}</source>
        <translation>コンテキスト: {words}</translation>
    </message>
    <message>
        <source>Shows four replies to one message, side by side</source>
        <translation>1つのメッセージへの4つの回答を並べて表示します</translation>
    </message>
    <message>
        <source>Chat with {name}</source>
        <translation>{name}とチャット</translation>
    </message>
    <message>
        <source>New Chat</source>
        <translation>新規チャット</translation>
    </message>
    <message>
        <source>No chat is open</source>
        <translation>開いているチャットはありません</translation>
    </message>
    <message>
        <source>Find in this chat</source>
        <translation>このチャット内を検索</translation>
    </message>
    <message>
        <source>Close  Esc</source>
        <translation>閉じる  Esc</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>見つかりません</translation>
    </message>
    <message>
        <source>{number} of {count}</source>
        <translation>{number}/{count}</translation>
    </message>
    <message>
        <source>Queued until the reply ends. {keys} sends the first one now.</source>
        <translation>回答が終わるまで待機します。{keys}で最初のものをすぐ送信します。</translation>
    </message>
    <message>
        <source>Sends when “{file}” is ready. Esc cancels.</source>
        <translation>「{file}」の準備ができたら送信します。Escで取り消します。</translation>
    </message>
    <message>
        <source>Message removed from the queue</source>
        <translation>順番待ちからメッセージを削除しました</translation>
    </message>
    <message>
        <source>Cancel loading</source>
        <translation>ロードをキャンセル</translation>
    </message>
    <message>
        <source>More</source>
        <translation>その他</translation>
    </message>
    <message>
        <source>Model: {name}</source>
        <translation>モデル: {name}</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>確認</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>テスト</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>起動</translation>
    </message>
    <message>
        <source>Not checked yet</source>
        <translation>未確認</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>準備完了</translation>
    </message>
    <message>
        <source>Not ready</source>
        <translation>準備ができていません</translation>
    </message>
    <message>
        <source>Testing. This takes a minute or more…</source>
        <translation>テスト中。1分以上かかります…</translation>
    </message>
    <message>
        <source>Starting {hosts}…</source>
        <translation>{hosts}を起動中…</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>画像</translation>
    </message>
    <message>
        <source>{bits}-bit, mixed</source>
        <translation>{bits}ビット混合</translation>
    </message>
    <message numerus="yes">
        <source>%n-bit weights</source>
        <comment>%n-bit weights</comment>
        <translation>
            <numerusform>重みは%nビット</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n day ago</source>
        <comment>%n days ago</comment>
        <translation>
            <numerusform>%n日前</numerusform>
        </translation>
    </message>
    <message>
        <source>d MMMM</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>M月d日</translation>
    </message>
    <message>
        <source>d MMMM yyyy</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>yyyy年M月d日</translation>
    </message>
    <message>
        <source>Not loaded</source>
        <translation>未ロード</translation>
    </message>
    <message numerus="yes">
        <source>%Ln model</source>
        <comment>%Ln models</comment>
        <translation>
            <numerusform>%Ln個のモデル</numerusform>
        </translation>
    </message>
    <message>
        <source>{size} on disk</source>
        <translation>ディスク使用量: {size}</translation>
    </message>
    <message>
        <source>draft model {name}</source>
        <translation>ドラフトモデル: {name}</translation>
    </message>
    <message numerus="yes">
        <source>context %Ln token</source>
        <comment>context %Ln tokens</comment>
        <translation>
            <numerusform>コンテキスト%Lnトークン</numerusform>
        </translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>ピンで固定</translation>
    </message>
    <message>
        <source>in memory, {size}</source>
        <translation>メモリ内、{size}</translation>
    </message>
    <message>
        <source>license {name}</source>
        <translation>ライセンス: {name}</translation>
    </message>
    <message>
        <source>used {when}</source>
        <translation>使用: {when}</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>ロード中…</translation>
    </message>
    <message>
        <source>Unloaded</source>
        <translation>アンロード済み</translation>
    </message>
    <message>
        <source>Unloaded, loads when you send</source>
        <translation>アンロード済み、送信時にロード</translation>
    </message>
    <message>
        <source>Loading {share}</source>
        <translation>ロード中 {share}</translation>
    </message>
    <message>
        <source>Notice</source>
        <translation>お知らせ</translation>
    </message>
    <message>
        <source>loading…</source>
        <translation>ロード中…</translation>
    </message>
    <message>
        <source>not loaded</source>
        <translation>未ロード</translation>
    </message>
    <message>
        <source>Open Model Folder…</source>
        <translation>モデルフォルダを開く…</translation>
    </message>
    <message>
        <source>Manage Models…</source>
        <translation>モデルを管理…</translation>
    </message>
    <message>
        <source>Unload a Model…</source>
        <translation>モデルをアンロード…</translation>
    </message>
    <message>
        <source>Extract Text</source>
        <translation>テキストを抽出</translation>
    </message>
    <message>
        <source>Replace the images with the text in them, read by this computer</source>
        <translation>画像を、このコンピュータで読み取ったテキストに置き換えます</translation>
    </message>
    <message>
        <source>Start Again</source>
        <translation>もう一度起動</translation>
    </message>
    <message>
        <source>{name} doesn’t fit in memory. {error}</source>
        <translation>{name}はメモリに収まりません。{error}</translation>
    </message>
    <message>
        <source>{name} couldn’t be loaded. {error}</source>
        <translation>{name}をロードできませんでした。{error}</translation>
    </message>
    <message>
        <source>Queued until the reply ends.</source>
        <translation>回答が終わるまで待機します。</translation>
    </message>
    <message>
        <source>This reply was deleted.</source>
        <translation>この応答は削除されました。</translation>
    </message>
    <message>
        <source>8-bit</source>
        <translation>8ビット</translation>
    </message>
    <message>
        <source>4-bit</source>
        <translation>4ビット</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>指示</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>プリセット</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>ランダム</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>シード</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KVキャッシュ</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>コンテキスト</translation>
    </message>
    <message>
        <source>Choose</source>
        <translation>選択</translation>
    </message>
    <message>
        <source>Remote</source>
        <comment>of a model that answers on another machine</comment>
        <translation>リモート</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>待機中</translation>
    </message>
    <message>
        <source>Waiting for {host}</source>
        <translation>{host}を待っています</translation>
    </message>
    <message>
        <source>Waiting for {host}, {time}</source>
        <translation>{host}を待っています（{time}）</translation>
    </message>
    <message numerus="yes">
        <source>Message %n chat…</source>
        <comment>Message %n chats…</comment>
        <translation>
            <numerusform>%n件のチャットにメッセージ…</numerusform>
        </translation>
    </message>
    <message>
        <source>Message {name}…</source>
        <translation>{name}にメッセージ…</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>コピーしました</translation>
    </message>
    <message>
        <source>Attach Files</source>
        <translation>ファイルを添付</translation>
    </message>
    <message>
        <source>Attach</source>
        <translation>添付</translation>
    </message>
    <message numerus="yes">
        <source>{count} tokens</source>
        <comment>{count} tokens</comment>
        <translation>
            <numerusform>{count}トークン</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>about {count} tokens</source>
        <comment>about {count} tokens</comment>
        <translation>
            <numerusform>約{count}トークン</numerusform>
        </translation>
    </message>
    <message>
        <source>No presets yet</source>
        <translation>プリセットはまだありません</translation>
    </message>
    <message>
        <source>Choose “Save as Preset…” to keep these settings</source>
        <translation>この設定を残すには「プリセットとして保存…」を選択してください</translation>
    </message>
    <message>
        <source>Save as Preset…</source>
        <translation>プリセットとして保存…</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>名称変更</translation>
    </message>
    <message>
        <source>Save as Preset</source>
        <translation>プリセットとして保存</translation>
    </message>
    <message>
        <source>Rename Preset</source>
        <translation>プリセットの名称変更</translation>
    </message>
    <message>
        <source>Preset “{name}” replaced</source>
        <translation>プリセット「{name}」を置き換えました</translation>
    </message>
    <message>
        <source>Preset renamed to “{name}”</source>
        <translation>プリセットの名前を「{name}」に変更しました</translation>
    </message>
    <message>
        <source>Preset “{name}” deleted</source>
        <translation>プリセット「{name}」を削除しました</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Min-p</source>
        <translation>Min-p</translation>
    </message>
    <message>
        <source>Typical-p</source>
        <translation>Typical-p</translation>
    </message>
    <message>
        <source>XTC probability</source>
        <translation>XTCの確率</translation>
    </message>
    <message>
        <source>XTC threshold</source>
        <translation>XTCのしきい値</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>繰り返しペナルティ</translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation>存在ペナルティ</translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation>頻度ペナルティ</translation>
    </message>
    <message>
        <source>{name} can’t call tools.</source>
        <translation>{name}はツールを呼び出せません。</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>フォルダ</translation>
    </message>
    <message>
        <source>Allow Writing</source>
        <translation>書き込みを許可</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>削除</translation>
    </message>
    <message>
        <source>Search models</source>
        <translation>モデルを検索</translation>
    </message>
    <message>
        <source>Add Folder…</source>
        <translation>フォルダを追加…</translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation>モデルを検索中…</translation>
    </message>
    <message>
        <source>{name} has changed. Before: {before}
Now: {now}</source>
        <translation>{name}が変更されました。変更前: {before}
変更後: {now}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln token</source>
        <comment>%Ln tokens</comment>
        <translation>
            <numerusform>%Lnトークン</numerusform>
        </translation>
    </message>
    <message>
        <source>Pages of {name}</source>
        <translation>{name}のページ</translation>
    </message>
    <message>
        <source>Page numbers</source>
        <translation>ページの番号</translation>
    </message>
    <message>
        <source>Which pages does the model get?</source>
        <translation>どのページをモデルに渡しますか？</translation>
    </message>
    <message>
        <source>Chosen Pages…</source>
        <translation>ページを選択…</translation>
    </message>
    <message>
        <source>Slides of {name}</source>
        <translation>{name}のスライド</translation>
    </message>
    <message>
        <source>Slide numbers</source>
        <translation>スライドの番号</translation>
    </message>
    <message>
        <source>Which slides does the model get?</source>
        <translation>どのスライドをモデルに渡しますか？</translation>
    </message>
    <message>
        <source>Chosen Slides…</source>
        <translation>スライドを選択…</translation>
    </message>
    <message>
        <source>Sheets of {name}</source>
        <translation>{name}のシート</translation>
    </message>
    <message>
        <source>Sheet numbers</source>
        <translation>シートの番号</translation>
    </message>
    <message>
        <source>Which sheets does the model get?</source>
        <translation>どのシートをモデルに渡しますか？</translation>
    </message>
    <message>
        <source>Chosen Sheets…</source>
        <translation>シートを選択…</translation>
    </message>
    <message>
        <source>Chapters of {name}</source>
        <translation>{name}の章</translation>
    </message>
    <message>
        <source>Chapter numbers</source>
        <translation>章の番号</translation>
    </message>
    <message>
        <source>Which chapters does the model get?</source>
        <translation>どの章をモデルに渡しますか？</translation>
    </message>
    <message>
        <source>Chosen Chapters…</source>
        <translation>章を選択…</translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln slide.</source>
        <comment>The file has %Ln slides.</comment>
        <translation>
            <numerusform>ファイルには%Ln枚のスライドがあります。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln sheet.</source>
        <comment>The file has %Ln sheets.</comment>
        <translation>
            <numerusform>ファイルには%Ln枚のシートがあります。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln chapter.</source>
        <comment>The file has %Ln chapters.</comment>
        <translation>
            <numerusform>ファイルには%Ln個の章があります。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The file has %Ln page.</source>
        <comment>The file has %Ln pages.</comment>
        <translation>
            <numerusform>ファイルには%Lnページあります。</numerusform>
        </translation>
    </message>
    <message>
        <source>Text Encoding</source>
        <translation>テキストエンコーディング</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>言語</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>ライト</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>ダーク</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外観</translation>
    </message>
    <message>
        <source>Restart Now</source>
        <translation>今すぐ再起動</translation>
    </message>
    <message>
        <source>en</source>
        <comment>the code of this language: names of days and months are in it</comment>
        <translation>ja</translation>
    </message>
    <message>
        <source>{number} s</source>
        <comment>seconds</comment>
        <translation>{number}秒</translation>
    </message>
    <message>
        <source>{minutes} min {seconds} s</source>
        <translation>{minutes}分{seconds}秒</translation>
    </message>
    <message>
        <source>{number} tok/s</source>
        <comment>tokens a second</comment>
        <translation>{number} tok/s</translation>
    </message>
    <message>
        <source>{number} GB</source>
        <translation>{number} GB</translation>
    </message>
    <message>
        <source>{number} MB</source>
        <translation>{number} MB</translation>
    </message>
    <message>
        <source>{number}%</source>
        <translation>{number}%</translation>
    </message>
    <message>
        <source>as JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>first token {time}</source>
        <comment>after this time</comment>
        <translation>最初のトークンまで{time}</translation>
    </message>
    <message numerus="yes">
        <source>Chats of %Ln token would fit.</source>
        <comment>Chats of %Ln tokens would fit.</comment>
        <translation>
            <numerusform>%Lnトークンのチャットなら収まります。</numerusform>
        </translation>
    </message>
    <message>
        <source>One chat would fit.</source>
        <translation>チャット1つなら収まります。</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>収まる</translation>
    </message>
    <message>
        <source>Tight</source>
        <comment>the memory</comment>
        <translation>ぎりぎり</translation>
    </message>
    <message>
        <source>Too large</source>
        <translation>大きすぎる</translation>
    </message>
    <message numerus="yes">
        <source>%n chat</source>
        <comment>%n chats</comment>
        <translation>
            <numerusform>%n件のチャット</numerusform>
        </translation>
    </message>
    <message>
        <source>{tokens} context</source>
        <translation>コンテキスト{tokens}</translation>
    </message>
    <message>
        <source>by {owner}</source>
        <translation>作成者: {owner}</translation>
    </message>
    <message numerus="yes">
        <source>{count} download</source>
        <comment>{count} downloads</comment>
        <translation>
            <numerusform>{count}回のダウンロード</numerusform>
        </translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>ツール</translation>
    </message>
    <message>
        <source>tools</source>
        <comment>after another word</comment>
        <translation>ツール</translation>
    </message>
    <message numerus="yes">
        <source>%Ln download last month</source>
        <comment>%Ln downloads last month</comment>
        <translation>
            <numerusform>先月のダウンロード%Ln回</numerusform>
        </translation>
    </message>
    <message>
        <source>updated {date}</source>
        <translation>更新: {date}</translation>
    </message>
    <message>
        <source>gated</source>
        <translation>要承認</translation>
    </message>
    <message>
        <source>Using a tool</source>
        <translation>ツールを使用中</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>一時停止中</translation>
    </message>
    <message>
        <source>New chats</source>
        <translation>新規チャット</translation>
    </message>
    <message>
        <source>Updates</source>
        <translation>アップデート</translation>
    </message>
    <message>
        <source>Needs approval</source>
        <translation>許可待ち</translation>
    </message>
    <message>
        <source>Waiting for your answer</source>
        <translation>返答を待っています</translation>
    </message>
    <message numerus="yes">
        <source>Queued, %n before it</source>
        <comment>Queued, %n before it</comment>
        <translation>
            <numerusform>順番待ち、前に%n件</numerusform>
        </translation>
    </message>
    <message>
        <source>Waiting for memory</source>
        <translation>メモリの空き待ち</translation>
    </message>
    <message numerus="yes">
        <source>Waiting for memory, %n chat before it</source>
        <comment>Waiting for memory, %n chats before it</comment>
        <translation>
            <numerusform>メモリの空き待ち、前に%n件のチャット</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading {percent}</source>
        <translation>読み取り中 {percent}</translation>
    </message>
    <message>
        <source>Reading {done} of {total} tokens</source>
        <translation>{total}トークン中{done}を読み取り中</translation>
    </message>
    <message>
        <source>Writing</source>
        <comment>a chat is writing its answer</comment>
        <translation>生成中</translation>
    </message>
    <message>
        <source>Thought for {time}</source>
        <translation>{time}間思考</translation>
    </message>
    <message>
        <source>{number} ms</source>
        <comment>milliseconds</comment>
        <translation>{number}ミリ秒</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <comment>sizes</comment>
        <translation>{done}/{total}</translation>
    </message>
    <message>
        <source>{size}/s</source>
        <comment>per second</comment>
        <translation>{size}/秒</translation>
    </message>
    <message>
        <source>{time} left</source>
        <comment>until it is downloaded</comment>
        <translation>残り{time}</translation>
    </message>
    <message>
        <source>Converting…</source>
        <translation>変換中…</translation>
    </message>
    <message>
        <source>{hours} h {minutes} min</source>
        <translation>{hours}時間{minutes}分</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>続ける</translation>
    </message>
    <message>
        <source>Slide {number}</source>
        <translation>スライド{number}</translation>
    </message>
    <message>
        <source>Sheet {number}</source>
        <translation>シート{number}</translation>
    </message>
    <message>
        <source>Chapter {number}</source>
        <translation>第{number}章</translation>
    </message>
    <message>
        <source>Page {number}</source>
        <translation>ページ{number}</translation>
    </message>
    <message>
        <source>Use Without Adapter</source>
        <translation>アダプタなしで使う</translation>
    </message>
    <message>
        <source>Edit Message</source>
        <translation>メッセージを編集</translation>
    </message>
    <message>
        <source>Copy Code</source>
        <translation>コードをコピー</translation>
    </message>
    <message>
        <source>Thought</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>中断</translation>
    </message>
    <message>
        <source>You</source>
        <translation>あなた</translation>
    </message>
    <message>
        <source>System</source>
        <translation>システム</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>ツール</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>アシスタント</translation>
    </message>
    <message>
        <source>The model</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>version {number} of {count}</source>
        <translation>{count}個中{number}番目のバージョン</translation>
    </message>
    <message>
        <source>From reply {letter}. Enter shows it.</source>
        <translation>応答{letter}より。Enterで表示します。</translation>
    </message>
    <message>
        <source>Link, {words}. Enter opens it.</source>
        <translation>リンク、{words}。Enterで開きます。</translation>
    </message>
    <message numerus="yes">
        <source>Code, {language}, %Ln line. Enter copies it.</source>
        <comment>Code, {language}, %Ln lines. Enter copies it.</comment>
        <translation>
            <numerusform>コード、{language}、%Ln行。Enterでコピーします。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Code, %Ln line. Enter copies it.</source>
        <comment>Code, %Ln lines. Enter copies it.</comment>
        <translation>
            <numerusform>コード、%Ln行。Enterでコピーします。</numerusform>
        </translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>引数</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>結果</translation>
    </message>
    <message>
        <source>{tool} needs your input</source>
        <translation>{tool}が入力を求めています</translation>
    </message>
    <message>
        <source>Allow Once</source>
        <translation>今回のみ許可</translation>
    </message>
    <message>
        <source>Deny</source>
        <translation>拒否</translation>
    </message>
    <message>
        <source>The server asked: {question}
You declined.</source>
        <translation>サーバからの質問: {question}
断りました。</translation>
    </message>
    <message>
        <source>tool</source>
        <translation>ツール</translation>
    </message>
    <message numerus="yes">
        <source>%Ln character</source>
        <comment>%Ln characters</comment>
        <translation>
            <numerusform>%Ln文字</numerusform>
        </translation>
    </message>
    <message>
        <source>{tool} · Stopped</source>
        <translation>{tool} · 停止しました</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>{number} ms</source>
        <translation>{number}ミリ秒</translation>
    </message>
    <message numerus="yes">
        <source>{kept} of %Ln characters</source>
        <comment>{kept} of %Ln characters</comment>
        <translation>
            <numerusform>%Ln文字中{kept}文字</numerusform>
        </translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>あなたのメッセージ</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完了</translation>
    </message>
    <message>
        <source>Broadcast is off</source>
        <translation>一斉送信はオフです</translation>
    </message>
    <message>
        <source>Broadcast is on. To include a remote chat, choose “{command}” in it.</source>
        <translation>一斉送信はオンです。リモートのチャットを含めるには、そのチャットで「{command}」を選択してください。</translation>
    </message>
    <message>
        <source>Broadcast is on. Open another chat next to this one.</source>
        <translation>一斉送信はオンです。このチャットの横に別のチャットを開いてください。</translation>
    </message>
    <message>
        <source>Split Right</source>
        <translation>右に分割</translation>
    </message>
    <message>
        <source>Split Down</source>
        <translation>下に分割</translation>
    </message>
    <message>
        <source>Close Chat</source>
        <translation>チャットを閉じる</translation>
    </message>
    <message>
        <source>Chat closed</source>
        <translation>チャットを閉じました</translation>
    </message>
    <message>
        <source>Stop All Replies</source>
        <translation>すべての回答を停止</translation>
    </message>
    <message>
        <source>Open Model Folder</source>
        <translation>モデルフォルダを開く</translation>
    </message>
    <message>
        <source>Open GGUF File…</source>
        <translation>GGUFファイルを開く…</translation>
    </message>
    <message>
        <source>GGUF files</source>
        <translation>GGUFファイル</translation>
    </message>
    <message>
        <source>Open GGUF File</source>
        <translation>GGUFファイルを開く</translation>
    </message>
    <message>
        <source>File</source>
        <translation>ファイル</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>編集</translation>
    </message>
    <message>
        <source>View</source>
        <translation>表示</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>ヘルプ</translation>
    </message>
    <message>
        <source>Enter edits the message, Delete removes it</source>
        <translation>Enterでメッセージを編集、Deleteで削除</translation>
    </message>
    <message>
        <source>Edit Message  Enter</source>
        <translation>メッセージを編集&#xa0;&#xa0;Enter</translation>
    </message>
    <message>
        <source>Remove  Del</source>
        <translation>削除&#xa0;&#xa0;Del</translation>
    </message>
    <message numerus="yes">
        <source>%n file</source>
        <comment>%n files</comment>
        <translation>
            <numerusform>%n個のファイル</numerusform>
        </translation>
    </message>
    <message>
        <source>Queued message {number}: {text}</source>
        <translation>順番待ちのメッセージ&#xa0;{number}:&#xa0;{text}</translation>
    </message>
    <message>
        <source>Queued messages</source>
        <translation>順番待ちのメッセージ</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>送信</translation>
    </message>
    <message>
        <source>Decline</source>
        <translation>断る</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>追加</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>アドレス</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>キー</translation>
    </message>
    <message>
        <source>Asking {host}…</source>
        <translation>{host}に問い合わせ中…</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>しない</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>選択…</translation>
    </message>
    <message>
        <source>How models should behave in new chats</source>
        <translation>新規チャットでのモデルの振る舞い</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>ドラフトモデル</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>確認中…</translation>
    </message>
    <message>
        <source>None</source>
        <comment>no draft model</comment>
        <translation>なし</translation>
    </message>
    <message>
        <source>{name}, {size}</source>
        <translation>{name}、{size}</translation>
    </message>
    <message>
        <source>Model for New Chats</source>
        <translation>新規チャットのモデル</translation>
    </message>
    <message>
        <source>Shift+Enter</source>
        <translation>Shift+Enter</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Up, in an empty message</source>
        <translation>↑（メッセージが空のとき）</translation>
    </message>
    <message>
        <source>/, in an empty message</source>
        <translation>/（メッセージが空のとき）</translation>
    </message>
    <message>
        <source>Tab, in the message</source>
        <translation>Tab（メッセージ内）</translation>
    </message>
    <message>
        <source>Delete, in the sidebar</source>
        <translation>Delete（サイドバー内）</translation>
    </message>
    <message>
        <source>Compare…</source>
        <translation>比較…</translation>
    </message>
    <message>
        <source>Broadcast</source>
        <translation>一斉送信</translation>
    </message>
    <message numerus="yes">
        <source>The next message goes to %n chat</source>
        <comment>The next message goes to %n chats</comment>
        <translation>
            <numerusform>次のメッセージは%n件のチャットに送られます</numerusform>
        </translation>
    </message>
    <message>
        <source>Keep Broadcast On</source>
        <translation>一斉送信をオンのままにする</translation>
    </message>
    <message>
        <source>Join/Leave Broadcast</source>
        <translation>一斉送信に加わる/外れる</translation>
    </message>
    <message>
        <source>{chat} (hidden tab)</source>
        <translation>{chat}（隠れたタブ）</translation>
    </message>
    <message>
        <source>Turn Off</source>
        <translation>オフにする</translation>
    </message>
    <message numerus="yes">
        <source>To %n chat ({hidden} in hidden tabs)</source>
        <comment>To %n chats ({hidden} in hidden tabs)</comment>
        <translation>
            <numerusform>%n件のチャットへ（うち隠れたタブ{hidden}件）</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>To %n chat</source>
        <comment>To %n chats</comment>
        <translation>
            <numerusform>%n件のチャットへ</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Sent to %n chat</source>
        <comment>Sent to %n chats</comment>
        <translation>
            <numerusform>%n件のチャットに送信しました</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat didn’t get this message: {why}</source>
        <comment>%n chats didn’t get this message: {why}</comment>
        <translation>
            <numerusform>%n件のチャットはこのメッセージを受け取っていません：{why}</numerusform>
        </translation>
    </message>
    <message>
        <source>{title} – {model}</source>
        <translation>{title} – {model}</translation>
    </message>
    <message>
        <source>Show Report</source>
        <translation>レポートを表示</translation>
    </message>
    <message>
        <source>Something went wrong</source>
        <translation>問題が起きました</translation>
    </message>
    <message>
        <source>Export Chats…</source>
        <translation>チャットを書き出す…</translation>
    </message>
    <message>
        <source>“{title}”</source>
        <translation>「{title}」</translation>
    </message>
    <message>
        <source>Import Chats…</source>
        <translation>チャットを読み込む…</translation>
    </message>
    <message>
        <source>The import couldn’t be undone: {error}</source>
        <translation>読み込みを取り消せませんでした: {error}</translation>
    </message>
    <message numerus="yes">
        <source>All %Ln chats</source>
        <comment>All %Ln chats</comment>
        <translation>
            <numerusform>すべてのチャット（%Ln件）</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat imported</source>
        <comment>%Ln chats imported</comment>
        <translation>
            <numerusform>%Ln件のチャットを読み込みました</numerusform>
        </translation>
    </message>
    <message>
        <source>Print…</source>
        <translation>プリント…</translation>
    </message>
    <message>
        <source>Attach Files…</source>
        <translation>ファイルを添付…</translation>
    </message>
    <message>
        <source>Layouts</source>
        <translation>レイアウト</translation>
    </message>
    <message>
        <source>No layouts yet</source>
        <translation>レイアウトはまだありません</translation>
    </message>
    <message>
        <source>Save Layout…</source>
        <translation>レイアウトを保存…</translation>
    </message>
    <message>
        <source>Save Layout</source>
        <translation>レイアウトを保存</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>起動中…</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>ログ</translation>
    </message>
    <message>
        <source>Show Log</source>
        <translation>ログを表示</translation>
    </message>
    <message>
        <source>{tool} of {server} in “{chat}”</source>
        <translation>{server}の{tool}（チャット「{chat}」）</translation>
    </message>
    <message>
        <source>a deleted chat</source>
        <translation>削除したチャット</translation>
    </message>
    <message>
        <source>in {folder}</source>
        <translation>場所: {folder}</translation>
    </message>
    <message>
        <source>Layout “{name}” replaced</source>
        <translation>レイアウト「{name}」を置き換えました</translation>
    </message>
    <message>
        <source>Layout “{name}” saved</source>
        <translation>レイアウト「{name}」を保存しました</translation>
    </message>
    <message>
        <source>Rename Layout</source>
        <translation>レイアウトの名称変更</translation>
    </message>
    <message>
        <source>Layout renamed to “{name}”</source>
        <translation>レイアウトの名前を「{name}」に変更しました</translation>
    </message>
    <message>
        <source>Layout “{name}” deleted</source>
        <translation>レイアウト「{name}」を削除しました</translation>
    </message>
    <message>
        <source>Layout “{name}” opened</source>
        <translation>レイアウト「{name}」を開きました</translation>
    </message>
    <message>
        <source>Layout “{name}” opened.</source>
        <translation>レイアウト「{name}」を開きました。</translation>
    </message>
    <message numerus="yes">
        <source>%n other chat closed.</source>
        <comment>%n other chats closed.</comment>
        <translation>
            <numerusform>ほかの%n件のチャットを閉じました。</numerusform>
        </translation>
    </message>
    <message>
        <source>Sidebar</source>
        <translation>サイドバー</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>すべてのチャットを検索</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>総譜</translation>
    </message>
    <message numerus="yes">
        <source>%n waiting for memory</source>
        <comment>%n waiting for memory</comment>
        <translation>
            <numerusform>%n件がメモリの空き待ち</numerusform>
        </translation>
    </message>
    <message>
        <source>Models…</source>
        <translation>モデル…</translation>
    </message>
    <message>
        <source>Get Model…</source>
        <translation>モデルを入手…</translation>
    </message>
    <message>
        <source>{keys} copies text.</source>
        <translation>{keys}はテキストのコピーに使われます。</translation>
    </message>
    <message>
        <source>{keys} cuts text.</source>
        <translation>{keys}はテキストのカットに使われます。</translation>
    </message>
    <message>
        <source>{keys} pastes text.</source>
        <translation>{keys}はテキストのペーストに使われます。</translation>
    </message>
    <message>
        <source>{keys} selects all text.</source>
        <translation>{keys}はすべてのテキストの選択に使われます。</translation>
    </message>
    <message>
        <source>Command Palette…</source>
        <translation>コマンドパレット…</translation>
    </message>
    <message>
        <source>{menu}: {choice}</source>
        <translation>{menu}: {choice}</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>設定</translation>
    </message>
    <message>
        <source> GB</source>
        <translation> GB</translation>
    </message>
    <message>
        <source> characters</source>
        <translation> 文字</translation>
    </message>
    <message>
        <source>No message here has other versions.</source>
        <translation>ここには、別のバージョンのあるメッセージはありません。</translation>
    </message>
    <message>
        <source>“{file}” is still being read.</source>
        <translation>「{file}」はまだ読み取り中です。</translation>
    </message>
    <message>
        <source>No message is being edited.</source>
        <translation>編集中のメッセージはありません。</translation>
    </message>
    <message>
        <source>Only your own messages can be edited.</source>
        <translation>編集できるのは自分のメッセージだけです。</translation>
    </message>
    <message>
        <source>There’s no text to copy.</source>
        <translation>コピーするテキストがありません。</translation>
    </message>
    <message>
        <source>This is the first version.</source>
        <translation>これが最初のバージョンです。</translation>
    </message>
    <message>
        <source>This is the last version.</source>
        <translation>これが最後のバージョンです。</translation>
    </message>
    <message>
        <source>Edit Last Message</source>
        <translation>最後のメッセージを編集</translation>
    </message>
    <message>
        <source>Make Panes Equal</source>
        <translation>ペインの大きさを揃える</translation>
    </message>
    <message>
        <source>Next Chat</source>
        <translation>次のチャット</translation>
    </message>
    <message>
        <source>Previous Chat</source>
        <translation>前のチャット</translation>
    </message>
    <message>
        <source>This chat is in its own window. Move it back first.</source>
        <translation>このチャットは別のウインドウにあります。先に元に戻してください。</translation>
    </message>
    <message>
        <source>There’s no pane after this one</source>
        <translation>次のペインはありません</translation>
    </message>
    <message>
        <source>There’s no pane before this one</source>
        <translation>前のペインはありません</translation>
    </message>
    <message>
        <source>There’s no other pane next to this one</source>
        <translation>隣にほかのペインはありません</translation>
    </message>
    <message>
        <source>Prompts…</source>
        <translation>プロンプト…</translation>
    </message>
    <message>
        <source>Save Message as Prompt…</source>
        <translation>メッセージをプロンプトとして保存…</translation>
    </message>
    <message>
        <source>Quick Question</source>
        <translation>クイック質問</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>設定…</translation>
    </message>
    <message>
        <source>Search All Chats</source>
        <translation>すべてのチャットを検索</translation>
    </message>
    <message>
        <source>Rename Chat</source>
        <translation>チャットの名称変更</translation>
    </message>
    <message>
        <source>Move Chat to Folder…</source>
        <translation>チャットをフォルダに移動…</translation>
    </message>
    <message numerus="yes">
        <source>Chat pinned</source>
        <comment>{count} chats pinned</comment>
        <translation>
            <numerusform>{count}件のチャットをピンで固定しました</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat moved to “{folder}”</source>
        <comment>{count} chats moved to “{folder}”</comment>
        <translation>
            <numerusform>{count}件のチャットを「{folder}」に移動しました</numerusform>
        </translation>
    </message>
    <message>
        <source>New Folder</source>
        <translation>新規フォルダ</translation>
    </message>
    <message numerus="yes">
        <source>Chat tagged</source>
        <comment>{count} chats tagged</comment>
        <translation>
            <numerusform>{count}件のチャットにタグを付けました</numerusform>
        </translation>
    </message>
    <message>
        <source>Folder moved</source>
        <translation>フォルダを移動しました</translation>
    </message>
    <message>
        <source>Move to Folder</source>
        <translation>フォルダに移動</translation>
    </message>
    <message>
        <source>Archive</source>
        <comment>what is done with a chat</comment>
        <translation>アーカイブ</translation>
    </message>
    <message>
        <source>New Folder…</source>
        <translation>新規フォルダ…</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>名称変更…</translation>
    </message>
    <message>
        <source>Delete Folder</source>
        <translation>フォルダを削除</translation>
    </message>
    <message>
        <source>Restore from Backup…</source>
        <translation>バックアップから復元…</translation>
    </message>
    <message>
        <source>{title}, waits for your answer</source>
        <translation>{title}、返答を待っています</translation>
    </message>
    <message>
        <source>Close {title}</source>
        <translation>{title}を閉じる</translation>
    </message>
    <message>
        <source>Full Screen</source>
        <translation>フルスクリーン</translation>
    </message>
    <message>
        <source>Menu  F10</source>
        <translation>メニュー  F10</translation>
    </message>
    <message>
        <source>Show Stretto</source>
        <translation>Strettoを表示</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>取り消す</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>ロード</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>ピンで固定</translation>
    </message>
    <message>
        <source>Convert…</source>
        <translation>変換…</translation>
    </message>
    <message>
        <source>Show in Folder</source>
        <translation>フォルダを表示</translation>
    </message>
    <message>
        <source>Add Adapter…</source>
        <translation>アダプタを追加…</translation>
    </message>
    <message>
        <source>Draft Model…</source>
        <translation>ドラフトモデル…</translation>
    </message>
    <message>
        <source>Move to Trash</source>
        <translation>ゴミ箱に入れる</translation>
    </message>
    <message>
        <source>Choose a model first</source>
        <translation>先にモデルを選択してください</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>アンロード</translation>
    </message>
    <message>
        <source>Cancel Loading</source>
        <translation>ロードをキャンセル</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>固定を解除</translation>
    </message>
    <message>
        <source>Try Now</source>
        <translation>今すぐ再試行</translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation>ペーストしたテキスト</translation>
    </message>
    <message>
        <source>“{name}” is too long. Read its last messages only.</source>
        <translation>「{name}」は長すぎます。最後のメッセージだけを読んでください。</translation>
    </message>
    <message>
        <source>“{name}” can’t be read.</source>
        <translation>「{name}」を読み取れません。</translation>
    </message>
    <message>
        <source>“{name}” is attached in part: {pages} of {count}. Open one of them to choose others.</source>
        <translation>「{name}」は一部だけ添付されています: {pages}（全{count}ページ）。ほかのページを選ぶには、いずれかのページを開いてください。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln of the {count} pages of “{name}” is a scan without text. Open the file to add its image or its text.</source>
        <comment>%Ln of the {count} pages of “{name}” are scans without text. Open the file to add their images or their text.</comment>
        <translation>
            <numerusform>「{name}」の全{count}ページのうち%Lnページは、テキストのないスキャンです。画像またはテキストを追加するには、ファイルを開いてください。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln of the {count} pages of “{name}” is a scan without text.</source>
        <comment>%Ln of the {count} pages of “{name}” are scans without text.</comment>
        <translation>
            <numerusform>「{name}」の全{count}ページのうち%Lnページは、テキストのないスキャンです。</numerusform>
        </translation>
    </message>
    <message>
        <source>text</source>
        <comment>a kind of file</comment>
        <translation>テキスト</translation>
    </message>
    <message>
        <source>code</source>
        <comment>a kind of file</comment>
        <translation>コード</translation>
    </message>
    <message>
        <source>web page</source>
        <comment>a kind of file</comment>
        <translation>Webページ</translation>
    </message>
    <message numerus="yes">
        <source>%Ln scanned</source>
        <comment>%Ln scanned</comment>
        <translation>
            <numerusform>うちスキャン%Lnページ</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln passage</source>
        <comment>%Ln passages</comment>
        <translation>
            <numerusform>%Ln箇所</numerusform>
        </translation>
    </message>
    <message>
        <source>{passages} from {pages}</source>
        <translation>{pages}の{passages}</translation>
    </message>
    <message>
        <source>the first {share}</source>
        <comment>of a file</comment>
        <translation>最初の{share}</translation>
    </message>
    <message numerus="yes">
        <source>part {numbers}</source>
        <comment>parts {numbers}</comment>
        <translation>
            <numerusform>パート{numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>slide {numbers}</source>
        <comment>slides {numbers}</comment>
        <translation>
            <numerusform>スライド{numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>sheet {numbers}</source>
        <comment>sheets {numbers}</comment>
        <translation>
            <numerusform>シート{numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>chapter {numbers}</source>
        <comment>chapters {numbers}</comment>
        <translation>
            <numerusform>第{numbers}章</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>page {numbers}</source>
        <comment>pages {numbers}</comment>
        <translation>
            <numerusform>ページ{numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln slide</source>
        <comment>%Ln slides</comment>
        <translation>
            <numerusform>スライド%Ln枚</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln sheet</source>
        <comment>%Ln sheets</comment>
        <translation>
            <numerusform>シート%Ln枚</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln chapter</source>
        <comment>%Ln chapters</comment>
        <translation>
            <numerusform>%Ln章</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln page</source>
        <comment>%Ln pages</comment>
        <translation>
            <numerusform>%Lnページ</numerusform>
        </translation>
    </message>
    <message>
        <source>{tokens} of {limit} tokens</source>
        <translation>{limit}トークン中{tokens}</translation>
    </message>
    <message>
        <source>The engine has stopped.</source>
        <translation>エンジンが停止しました。</translation>
    </message>
    <message>
        <source>The model couldn’t be loaded.</source>
        <translation>モデルをロードできませんでした。</translation>
    </message>
    <message>
        <source>The chat was closed.</source>
        <translation>チャットは閉じられました。</translation>
    </message>
    <message>
        <source>Chat {name}</source>
        <translation>チャット{name}</translation>
    </message>
    <message>
        <source>Attached: {file}</source>
        <translation>添付: {file}</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>ディスクがいっぱいです</translation>
    </message>
    <message>
        <source>about {size}</source>
        <translation>約{size}</translation>
    </message>
    <message numerus="yes">
        <source>a chat</source>
        <comment>%n chats</comment>
        <translation>
            <numerusform>%n件のチャット</numerusform>
        </translation>
    </message>
    <message>
        <source>The list is empty.</source>
        <translation>リストが空です。</translation>
    </message>
    <message>
        <source>Line {line}, column {column}</source>
        <translation>{line}行{column}列</translation>
    </message>
    <message>
        <source>The schema is nested too deeply.</source>
        <translation>スキーマの入れ子が深すぎます。</translation>
    </message>
    <message>
        <source>In {place}</source>
        <translation>{place}内</translation>
    </message>
    <message>
        <source>The pattern is empty.</source>
        <translation>パターンが空です。</translation>
    </message>
    <message>
        <source>At character {n}: a backslash with nothing after it.</source>
        <translation>{n}文字目: バックスラッシュの後に何もありません。</translation>
    </message>
    <message>
        <source>At character {n}</source>
        <translation>{n}文字目</translation>
    </message>
    <message>
        <source>{file}: the archive is damaged.</source>
        <translation>{file}: アーカイブが破損しています。</translation>
    </message>
    <message numerus="yes">
        <source>Only the first %Ln file was read.</source>
        <comment>Only the first %Ln files were read.</comment>
        <translation>
            <numerusform>最初の%Ln個のファイルだけを読み取りました。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln message</source>
        <comment>%Ln messages</comment>
        <translation>
            <numerusform>%Ln件のメッセージ</numerusform>
        </translation>
    </message>
    <message>
        <source>The model couldn’t be loaded ({why}).</source>
        <translation>モデルをロードできませんでした（{why}）。</translation>
    </message>
    <message>
        <source>{field}: choose at most {most}.</source>
        <translation>{field}: 選べるのは{most}個までです。</translation>
    </message>
    <message>
        <source>{field}: at most {most} characters.</source>
        <translation>{field}: {most}文字以内で入力してください。</translation>
    </message>
    <message>
        <source>{field}: choose from the list.</source>
        <translation>{field}: リストから選択してください。</translation>
    </message>
    <message>
        <source>{field}: choose at least {least}.</source>
        <translation>{field}: {least}個以上選択してください。</translation>
    </message>
    <message>
        <source>{field}: at least {least} characters.</source>
        <translation>{field}: {least}文字以上で入力してください。</translation>
    </message>
    <message>
        <source>{field}: a whole number.</source>
        <translation>{field}: 整数を入力してください。</translation>
    </message>
    <message>
        <source>{field}: a number.</source>
        <translation>{field}: 数値を入力してください。</translation>
    </message>
    <message>
        <source>{field}: at least {least}.</source>
        <translation>{field}: {least}以上にしてください。</translation>
    </message>
    <message>
        <source>{field}: at most {most}.</source>
        <translation>{field}: {most}以下にしてください。</translation>
    </message>
    <message>
        <source>{server} asked with a form that can’t be shown: {why}.</source>
        <translation>{server}の質問のフォームを表示できません: {why}。</translation>
    </message>
    <message>
        <source>Add Model Folder</source>
        <translation>モデルフォルダを追加</translation>
    </message>
    <message>
        <source>Add an Adapter to {name}</source>
        <translation>{name}にアダプタを追加</translation>
    </message>
    <message>
        <source>Model card</source>
        <translation>モデルカード</translation>
    </message>
    <message>
        <source>Convert</source>
        <translation>変換</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>表示</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>開く</translation>
    </message>
    <message>
        <source>Download of {name}</source>
        <translation>{name}のダウンロード</translation>
    </message>
    <message>
        <source>Remove from List</source>
        <translation>リストから削除</translation>
    </message>
    <message numerus="yes">
        <source>%n model found</source>
        <comment>%n models found</comment>
        <translation>
            <numerusform>%n個のモデルが見つかりました</numerusform>
        </translation>
    </message>
    <message>
        <source>Downloaded</source>
        <translation>ダウンロード済み</translation>
    </message>
    <message>
        <source>Gated</source>
        <comment>a model</comment>
        <translation>要承認</translation>
    </message>
    <message>
        <source>Can’t be loaded</source>
        <translation>ロード不可</translation>
    </message>
    <message numerus="yes">
        <source>Load it for chats of up to %Ln token</source>
        <comment>Load it for chats of up to %Ln tokens</comment>
        <translation>
            <numerusform>%Lnトークンまでのチャット用にロード</numerusform>
        </translation>
    </message>
    <message>
        <source>Use {name} instead</source>
        <translation>代わりに{name}を使う</translation>
    </message>
    <message>
        <source>Unload {name}</source>
        <translation>{name}をアンロード</translation>
    </message>
    <message>
        <source>Unload {names} and {last}</source>
        <translation>{names}と{last}をアンロード</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>メモリ</translation>
    </message>
    <message>
        <source>{name} doesn’t fit in memory</source>
        <translation>{name}はメモリに収まりません</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Number of chats</source>
        <translation>チャットの数</translation>
    </message>
    <message>
        <source>{bits}-bit</source>
        <translation>{bits}ビット</translation>
    </message>
    <message>
        <source>at {revision}</source>
        <translation>リビジョン{revision}</translation>
    </message>
    <message>
        <source>Get Model</source>
        <translation>モデルを入手</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>検索</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>ダウンロード</translation>
    </message>
    <message>
        <source>Remove {name} from the list</source>
        <translation>{name}をリストから削除</translation>
    </message>
    <message>
        <source>Access token</source>
        <translation>アクセストークン</translation>
    </message>
    <message>
        <source> min</source>
        <translation> 分</translation>
    </message>
    <message>
        <source>Chats and settings</source>
        <translation>チャットと設定</translation>
    </message>
    <message>
        <source>Show the chats and settings folder</source>
        <translation>チャットと設定のフォルダを表示</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>ログ</translation>
    </message>
    <message>
        <source>Show the logs folder</source>
        <translation>ログのフォルダを表示</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>標準</translation>
    </message>
    <message>
        <source>High</source>
        <translation>高</translation>
    </message>
    <message>
        <source>Contrast</source>
        <translation>コントラスト</translation>
    </message>
    <message>
        <source> px</source>
        <translation> px</translation>
    </message>
    <message>
        <source>Editors</source>
        <translation>エディタ</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>ポート</translation>
    </message>
    <message>
        <source>Copy for {name}</source>
        <translation>{name}用にコピー</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>キー</translation>
    </message>
    <message>
        <source>The keys can’t be read: {error}.</source>
        <translation>キーを読み取れません: {error}。</translation>
    </message>
    <message>
        <source>New Key…</source>
        <translation>新規キー…</translation>
    </message>
    <message>
        <source>dd MMMM yyyy</source>
        <comment>Qt&apos;s form of a date</comment>
        <translation>yyyy年M月d日</translation>
    </message>
    <message>
        <source>Revoke</source>
        <translation>無効にする</translation>
    </message>
    <message>
        <source>Revoke the key {name}</source>
        <translation>キー{name}を無効にする</translation>
    </message>
    <message>
        <source>New Key</source>
        <translation>新規キー</translation>
    </message>
    <message>
        <source>This desktop has no tray.</source>
        <translation>このデスクトップにはトレイがありません。</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>アーカイブ</translation>
    </message>
    <message numerus="yes">
        <source>%n connected</source>
        <comment>%n connected</comment>
        <translation>
            <numerusform>%n件接続</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <comment>%n more</comment>
        <translation>
            <numerusform>ほか%n件</numerusform>
        </translation>
    </message>
    <message>
        <source>Since Yesterday</source>
        <translation>昨日以降</translation>
    </message>
    <message>
        <source>Before This Year</source>
        <translation>今年より前</translation>
    </message>
    <message>
        <source>folder</source>
        <translation>フォルダ</translation>
    </message>
    <message>
        <source>archived chats</source>
        <translation>アーカイブしたチャット</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat</source>
        <comment>%Ln chats</comment>
        <translation>
            <numerusform>%Ln件のチャット</numerusform>
        </translation>
    </message>
    <message>
        <source>The backup couldn’t be restored. {why}</source>
        <translation>バックアップを復元できませんでした。{why}</translation>
    </message>
    <message>
        <source>waits for your answer</source>
        <translation>返答を待っています</translation>
    </message>
    <message>
        <source>open</source>
        <comment>it stands in a pane</comment>
        <translation>表示中</translation>
    </message>
    <message>
        <source>tagged {tags}</source>
        <translation>タグ: {tags}</translation>
    </message>
    <message>
        <source>Tags, separated by commas</source>
        <translation>タグ（コンマ区切り）</translation>
    </message>
    <message>
        <source>{field} (optional)</source>
        <translation>{field}（任意）</translation>
    </message>
    <message>
        <source>{least} to {most}</source>
        <translation>{least}〜{most}</translation>
    </message>
    <message>
        <source>at least {least}</source>
        <translation>{least}以上</translation>
    </message>
    <message>
        <source>at most {most}</source>
        <translation>{most}以下</translation>
    </message>
    <message>
        <source>4 bits: the usual choice</source>
        <translation>4ビット: 標準的な選択</translation>
    </message>
    <message>
        <source>6 bits: closer to the original</source>
        <translation>6ビット: より元に近い</translation>
    </message>
    <message>
        <source>4 and 6 bits: more where it matters</source>
        <translation>4と6ビット: 重要な部分を多めに</translation>
    </message>
    <message>
        <source>3 and 6 bits: as small as 4, more where it matters</source>
        <translation>3と6ビット: 4ビット並みに小さく、重要な部分を多めに</translation>
    </message>
    <message>
        <source>3 and 4 bits: the smallest</source>
        <translation>3と4ビット: 最小</translation>
    </message>
    <message>
        <source>That folder</source>
        <translation>そのフォルダ</translation>
    </message>
    <message>
        <source>using a tool</source>
        <translation>ツールを使用中</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>再開</translation>
    </message>
    <message>
        <source>{rate} read</source>
        <comment>while a prompt is being read</comment>
        <translation>{rate}で読み取り</translation>
    </message>
    <message>
        <source>models</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>helper processes</source>
        <translation>補助プロセス</translation>
    </message>
    <message>
        <source>Send  Enter</source>
        <translation>送信  Enter</translation>
    </message>
    <message>
        <source>Open Link</source>
        <translation>リンクを開く</translation>
    </message>
    <message>
        <source>Blocked because this link doesn’t lead to a web page.</source>
        <translation>このリンクはWebページではないため、ブロックしました。</translation>
    </message>
    <message>
        <source>Blocked because this link hides where it leads.</source>
        <translation>このリンクはリンク先を隠しているため、ブロックしました。</translation>
    </message>
    <message>
        <source>Open this address at {place} outside Stretto?</source>
        <translation>Strettoの外で{place}のこのアドレスを開きますか？</translation>
    </message>
    <message numerus="yes">
        <source>(%Ln more character)</source>
        <comment>(%Ln more characters)</comment>
        <translation>
            <numerusform>（ほか%Ln文字）</numerusform>
        </translation>
    </message>
    <message>
        <source>Use Prompt</source>
        <translation>プロンプトを使う</translation>
    </message>
    <message>
        <source>Resources</source>
        <translation>リソース</translation>
    </message>
    <message>
        <source>Running {tool}</source>
        <translation>{tool}を実行中</translation>
    </message>
    <message numerus="yes">
        <source>Running %n tool</source>
        <comment>Running %n tools</comment>
        <translation>
            <numerusform>%n個のツールを実行中</numerusform>
        </translation>
    </message>
    <message>
        <source>step {step}</source>
        <translation>ステップ{step}</translation>
    </message>
    <message>
        <source>An address has no spaces and at most 500 characters.</source>
        <translation>アドレスは空白なしで500文字までです。</translation>
    </message>
    <message>
        <source>An address begins with https:// or http://.</source>
        <translation>アドレスはhttps://またはhttp://で始まります。</translation>
    </message>
    <message>
        <source>{host} doesn’t allow this with your key. Ask for access there, or use another key.</source>
        <translation>{host}では、このキーでの利用が許可されていません。アクセスを申請するか、別のキーを使ってください。</translation>
    </message>
    <message>
        <source>No models are listed at {address}. Check the address: it often ends in /v1.</source>
        <translation>{address}にはモデルの一覧がありません。アドレスを確認してください。多くは/v1で終わります。</translation>
    </message>
    <message>
        <source>{host} isn’t ready.</source>
        <translation>{host}は準備ができていません。</translation>
    </message>
    <message numerus="yes">
        <source>Try again in %n second.</source>
        <comment>Try again in %n seconds.</comment>
        <translation>
            <numerusform>%n秒後にもう一度お試しください。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Try again in %n minute.</source>
        <comment>Try again in %n minutes.</comment>
        <translation>
            <numerusform>%n分後にもう一度お試しください。</numerusform>
        </translation>
    </message>
    <message>
        <source>Try again in a few hours.</source>
        <translation>数時間後にもう一度お試しください。</translation>
    </message>
    <message>
        <source>Try again tomorrow.</source>
        <translation>明日もう一度お試しください。</translation>
    </message>
    <message>
        <source>{host} sent something that can’t be read. Check the address, or try again.</source>
        <translation>{host}から届いた内容を読み取れません。アドレスを確認するか、もう一度お試しください。</translation>
    </message>
    <message>
        <source>Couldn’t connect to {host} ({why}). Check that the server is running and the address is right.</source>
        <translation>{host}に接続できません（{why}）。サーバが動作していることとアドレスを確認してください。</translation>
    </message>
    <message>
        <source>A model at an address, such as vLLM, llama.cpp or another Stretto</source>
        <translation>vLLM、llama.cpp、別のStrettoなど、アドレスで接続するモデル</translation>
    </message>
    <message>
        <source>No suggestions</source>
        <translation>候補なし</translation>
    </message>
    <message>
        <source>Add to Dictionary</source>
        <translation>辞書に追加</translation>
    </message>
    <message>
        <source>Ignore</source>
        <comment>a misspelt word</comment>
        <translation>無視</translation>
    </message>
    <message>
        <source>Questions, reasoning and tools</source>
        <translation>質問、推論、ツール</translation>
    </message>
    <message>
        <source>Many languages, short texts</source>
        <translation>多言語、短い文章</translation>
    </message>
    <message>
        <source>Fast replies, room for more chats</source>
        <translation>速い回答、多くのチャット向け</translation>
    </message>
    <message>
        <source>Reasoning, code and tools</source>
        <translation>推論、コード、ツール</translation>
    </message>
    <message>
        <source>Writing and many languages</source>
        <translation>文章作成、多言語</translation>
    </message>
    <message>
        <source>Reliable replies, room for more chats</source>
        <translation>安定した回答、多くのチャット向け</translation>
    </message>
    <message>
        <source>Reasoning and tools, fast</source>
        <translation>推論とツール、高速</translation>
    </message>
    <message>
        <source>Reasoning and code, more accurate</source>
        <translation>推論とコード、より正確</translation>
    </message>
    <message>
        <source>Code, hard questions and tools</source>
        <translation>コード、難しい質問、ツール</translation>
    </message>
    <message>
        <source>Writing, many languages, fast</source>
        <translation>文章作成、多言語、高速</translation>
    </message>
    <message>
        <source>Reasoning, tools, room for more chats</source>
        <translation>推論、ツール、多くのチャット向け</translation>
    </message>
    <message>
        <source>Code and tools, very fast</source>
        <translation>コードとツール、とても高速</translation>
    </message>
    <message>
        <source>Writing, languages, hard questions</source>
        <translation>文章作成、言語、難しい質問</translation>
    </message>
    <message>
        <source>Code and tools, more accurate</source>
        <translation>コードとツール、より正確</translation>
    </message>
    <message>
        <source>Code in long contexts</source>
        <translation>長い文章を扱うプログラミング</translation>
    </message>
    <message>
        <source>Long texts, very fast</source>
        <translation>長い文章、とても高速</translation>
    </message>
    <message>
        <source>Code, tools, room for more chats</source>
        <translation>コード、ツール、多くのチャット向け</translation>
    </message>
    <message>
        <source>Reasoning with adjustable effort</source>
        <translation>選んだ深さでの推論</translation>
    </message>
    <message>
        <source>Hard questions, code, many languages</source>
        <translation>難しい質問、コード、多言語</translation>
    </message>
    <message>
        <source>Hard questions, code, more accurate</source>
        <translation>難しい質問、コード、より正確</translation>
    </message>
    <message>
        <source>This network can’t be searched ({why}).</source>
        <translation>このネットワークは検索できません（{why}）。</translation>
    </message>
    <message>
        <source>Look for Stretto on this network</source>
        <translation>このネットワークでStrettoを探す</translation>
    </message>
    <message>
        <source>Found on this network</source>
        <translation>このネットワークで見つかったもの</translation>
    </message>
    <message>
        <source>{name} has no draft model. {why}</source>
        <translation>{name}にはドラフトモデルがありません。{why}</translation>
    </message>
    <message>
        <source>Longest reply</source>
        <translation>回答の最大長</translation>
    </message>
    <message>
        <source>Default {value}</source>
        <translation>デフォルト: {value}</translation>
    </message>
    <message>
        <source>Model default</source>
        <translation>モデルのデフォルト</translation>
    </message>
    <message>
        <source>Menu bar icon</source>
        <translation>メニューバーのアイコン</translation>
    </message>
    <message>
        <source>System tray icon</source>
        <translation>システムトレイのアイコン</translation>
    </message>
    <message>
        <source>General</source>
        <translation>一般</translation>
    </message>
    <message>
        <source>Send messages with</source>
        <translation>メッセージの送信キー</translation>
    </message>
    <message>
        <source>Attach long pastes as files</source>
        <translation>長いペーストをファイルとして添付</translation>
    </message>
    <message>
        <source>Check spelling</source>
        <translation>スペルチェック</translation>
    </message>
    <message>
        <source>Notify about long replies</source>
        <translation>長い回答の完了を通知</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>キーボードショートカット</translation>
    </message>
    <message>
        <source>Check for updates daily</source>
        <translation>毎日アップデートを確認</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>テーマ</translation>
    </message>
    <message>
        <source>Interface zoom</source>
        <translation>画面の拡大率</translation>
    </message>
    <message>
        <source>Message text size</source>
        <translation>メッセージの文字サイズ</translation>
    </message>
    <message>
        <source>Reduce motion</source>
        <translation>視差効果を減らす</translation>
    </message>
    <message>
        <source>Name chats automatically</source>
        <translation>チャットに自動で名前を付ける</translation>
    </message>
    <message>
        <source>Memory limit</source>
        <translation>メモリの上限</translation>
    </message>
    <message>
        <source>Unload idle models after</source>
        <translation>使っていないモデルをアンロードするまでの時間</translation>
    </message>
    <message>
        <source>Local API</source>
        <translation>ローカルAPI</translation>
    </message>
    <message>
        <source>Local API server</source>
        <translation>ローカルAPIサーバ</translation>
    </message>
    <message>
        <source>Require a key</source>
        <translation>キーを必須にする</translation>
    </message>
    <message>
        <source>Allow other computers</source>
        <translation>ほかのコンピュータを許可</translation>
    </message>
    <message>
        <source>Copy setup for</source>
        <translation>設定をコピー</translation>
    </message>
    <message>
        <source>Allowed origins (CORS)</source>
        <translation>許可するオリジン（CORS）</translation>
    </message>
    <message>
        <source>Concurrent sessions</source>
        <translation>同時セッション数</translation>
    </message>
    <message>
        <source>Close the oldest session when full</source>
        <translation>満杯のとき最も古いセッションを閉じる</translation>
    </message>
    <message>
        <source>Concurrent requests (per key)</source>
        <translation>同時リクエスト数（キーごと）</translation>
    </message>
    <message>
        <source>Requests per minute (per key)</source>
        <translation>1分あたりのリクエスト数（キーごと）</translation>
    </message>
    <message>
        <source>Unload models used only by clients after</source>
        <translation>クライアントだけが使うモデルをアンロードするまでの時間</translation>
    </message>
    <message>
        <source>Tool servers (MCP)</source>
        <translation>ツールサーバ（MCP）</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>データ</translation>
    </message>
    <message>
        <source>Cached context on disk</source>
        <translation>ディスク上のコンテキストキャッシュ</translation>
    </message>
    <message>
        <source>Caches</source>
        <translation>キャッシュ</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>設定を検索</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>ページ</translation>
    </message>
    <message>
        <source>Found settings</source>
        <translation>見つかった設定</translation>
    </message>
    <message>
        <source>Restarts Stretto in this language. Replies stop.</source>
        <translation>Strettoをこの言語で再起動します。回答は停止します。</translation>
    </message>
    <message>
        <source>Keyboard language</source>
        <translation>キーボードの言語</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>オフ</translation>
    </message>
    <message>
        <source>Manage…</source>
        <translation>管理…</translation>
    </message>
    <message>
        <source>Programs that give models more tools</source>
        <translation>モデルにツールを追加するプログラム</translation>
    </message>
    <message>
        <source>Customize…</source>
        <translation>カスタマイズ…</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>メッセージ</translation>
    </message>
    <message>
        <source>When a reply ends while Stretto is in the background</source>
        <translation>Strettoがバックグラウンドにあるときに回答が終わると通知します</translation>
    </message>
    <message>
        <source>The chat’s model suggests a name. Names you set are kept.</source>
        <translation>チャットのモデルが名前を提案します。自分で付けた名前はそのままです。</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自動</translation>
    </message>
    <message>
        <source>For models and chats. Takes effect after a restart.</source>
        <translation>モデルとチャット用。再起動後に有効になります。</translation>
    </message>
    <message>
        <source>Lets chats resume right away. Takes effect after a restart.</source>
        <translation>チャットをすぐに再開できます。再起動後に有効になります。</translation>
    </message>
    <message>
        <source>Restore…</source>
        <translation>復元…</translation>
    </message>
    <message>
        <source>Show the caches folder</source>
        <translation>キャッシュのフォルダを表示</translation>
    </message>
    <message>
        <source>Check Now</source>
        <translation>今すぐ確認</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>確認中…</translation>
    </message>
    <message>
        <source>Stretto is up to date.</source>
        <translation>Strettoは最新です。</translation>
    </message>
    <message>
        <source>Stretto {version} is available.</source>
        <translation>Stretto {version}を利用できます。</translation>
    </message>
    <message>
        <source>Settings, {page}</source>
        <translation>設定、{page}</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>制限</translation>
    </message>
    <message>
        <source>None</source>
        <comment>no web page</comment>
        <translation>なし</translation>
    </message>
    <message>
        <source>Such as https://example.org, separated by spaces</source>
        <translation>例: https://example.org（空白で区切る）</translation>
    </message>
    <message>
        <source>None</source>
        <comment>no session</comment>
        <translation>なし</translation>
    </message>
    <message>
        <source>No limit</source>
        <translation>無制限</translation>
    </message>
    <message>
        <source>There is nothing to clear.</source>
        <translation>消去するものはありません。</translation>
    </message>
    <message>
        <source>Share per client</source>
        <translation>クライアントごとの割り当て</translation>
    </message>
    <message>
        <source>Quick access</source>
        <translation>クイックアクセス</translation>
    </message>
    <message>
        <source>Copy a terminal command</source>
        <translation>ターミナル用コマンドをコピー</translation>
    </message>
    <message>
        <source>Copy environment variables for editors and agents</source>
        <translation>エディタとエージェント用の環境変数をコピー</translation>
    </message>
    <message>
        <source>Access</source>
        <translation>アクセス</translation>
    </message>
    <message numerus="yes">
        <source>Running at {address}, %n client</source>
        <comment>Running at {address}, %n clients</comment>
        <translation>
            <numerusform>{address}で実行中、クライアント: %n</numerusform>
        </translation>
    </message>
    <message>
        <source>Running at {address}, no clients</source>
        <translation>{address}で実行中、クライアントなし</translation>
    </message>
    <message>
        <source>Turn on the local API first.</source>
        <translation>先にローカルAPIをオンにしてください。</translation>
    </message>
    <message>
        <source>created {date}</source>
        <translation>作成日: {date}</translation>
    </message>
    <message>
        <source>Clients that use it lose access. This can’t be undone.</source>
        <translation>使用中のクライアントはアクセスできなくなります。この操作は取り消せません</translation>
    </message>
    <message>
        <source>The key couldn’t be changed: {error}.</source>
        <translation>キーを変更できませんでした: {error}。</translation>
    </message>
    <message>
        <source>Copied. Replace “your-key” with your key.</source>
        <translation>コピーしました。「your-key」を自分のキーに置き換えてください</translation>
    </message>
    <message>
        <source>Copy the key for “{name}” now. You won’t see it again.</source>
        <translation>「{name}」のキーを今コピーしてください。再表示はできません。</translation>
    </message>
    <message>
        <source>New key</source>
        <translation>新規キー</translation>
    </message>
    <message>
        <source>Maximum zoom reached</source>
        <translation>最大まで拡大しています</translation>
    </message>
    <message>
        <source>Zoom In</source>
        <translation>拡大</translation>
    </message>
    <message>
        <source>Minimum zoom reached</source>
        <translation>最小まで縮小しています</translation>
    </message>
    <message>
        <source>Zoom Out</source>
        <translation>縮小</translation>
    </message>
    <message>
        <source>Actual Size</source>
        <translation>実際のサイズ</translation>
    </message>
    <message>
        <source>Zoom: {zoom}</source>
        <translation>拡大率: {zoom}</translation>
    </message>
    <message>
        <source>Spelling is off. Turn it on in Settings &gt; General.</source>
        <translation>スペルチェックはオフです。設定 &gt; 一般でオンにできます。</translation>
    </message>
    <message>
        <source>Next Misspelling</source>
        <translation>次のスペルミス</translation>
    </message>
    <message>
        <source>Multiple Computers</source>
        <translation>複数のコンピュータ</translation>
    </message>
    <message>
        <source>Frees memory. Its chats load it again when you send.</source>
        <translation>メモリが空きます。チャットで送信すると再びロードされます。</translation>
    </message>
    <message>
        <source>No model is loaded</source>
        <translation>ロード済みのモデルはありません</translation>
    </message>
    <message>
        <source>No other model is loaded.</source>
        <translation>ほかにロード済みのモデルはありません。</translation>
    </message>
    <message>
        <source>{name} unloaded</source>
        <translation>{name}をアンロードしました</translation>
    </message>
    <message>
        <source>Add Folder for Tools</source>
        <translation>ツール用のフォルダを追加</translation>
    </message>
    <message>
        <source>{name} couldn’t reply.</source>
        <translation>{name}は回答できませんでした。</translation>
    </message>
    <message>
        <source>{name} has replied.</source>
        <translation>{name}が回答しました。</translation>
    </message>
    <message>
        <source>No room for another pane. The chat opened as a tab.</source>
        <translation>ペインを増やす余地がないため、チャットをタブで開きました。</translation>
    </message>
    <message>
        <source>For a global shortcut to Quick Question, run this command from the Shortcuts app.</source>
        <translation>「クイック質問」をどこからでも開くには、ショートカットアプリでこのコマンドを実行します。</translation>
    </message>
    <message>
        <source>For a global shortcut to Quick Question, add this command in your system’s keyboard settings.</source>
        <translation>「クイック質問」をどこからでも開くには、システムのキーボード設定にこのコマンドを追加します。</translation>
    </message>
    <message>
        <source>Ask the Guide</source>
        <translation>Guideに質問</translation>
    </message>
    <message>
        <source>This chat is in the Trash.</source>
        <translation>このチャットはゴミ箱にあります。</translation>
    </message>
    <message>
        <source>This is an older version of the chat.</source>
        <translation>これはチャットの古いバージョンです。</translation>
    </message>
    <message>
        <source>The chat now shows another version.</source>
        <translation>チャットに別のバージョンが表示されています。</translation>
    </message>
    <message>
        <source>Switch Back</source>
        <translation>前の表示に戻る</translation>
    </message>
    <message>
        <source>That message is in another version. Wait until the reply has ended.</source>
        <translation>そのメッセージは別のバージョンにあります。回答が終わるまでお待ちください。</translation>
    </message>
    <message>
        <source>No model is replying</source>
        <translation>回答中のモデルはありません</translation>
    </message>
    <message numerus="yes">
        <source>%n reply stopped</source>
        <comment>%n replies stopped</comment>
        <translation>
            <numerusform>%n件の回答を停止しました</numerusform>
        </translation>
    </message>
    <message>
        <source>New line</source>
        <translation>改行</translation>
    </message>
    <message>
        <source>Send after the reply</source>
        <translation>回答の後に送信</translation>
    </message>
    <message>
        <source>Enter, during the reply</source>
        <translation>Enter（回答中）</translation>
    </message>
    <message>
        <source>Remove queued message</source>
        <translation>順番待ちのメッセージを削除</translation>
    </message>
    <message>
        <source>Delete, on the message</source>
        <translation>Delete（メッセージ上）</translation>
    </message>
    <message>
        <source>Stop reply</source>
        <translation>回答を停止</translation>
    </message>
    <message>
        <source>Edit last message</source>
        <translation>最後のメッセージを編集</translation>
    </message>
    <message>
        <source>Insert prompt</source>
        <translation>プロンプトを挿入</translation>
    </message>
    <message>
        <source>Next prompt variable</source>
        <translation>プロンプトの次の変数</translation>
    </message>
    <message>
        <source>Remove attachment</source>
        <translation>添付ファイルを削除</translation>
    </message>
    <message>
        <source>Delete, on the attachment</source>
        <translation>Delete（添付ファイル上）</translation>
    </message>
    <message>
        <source>Delete chat</source>
        <translation>チャットを削除</translation>
    </message>
    <message>
        <source>Delete message and all after it</source>
        <translation>メッセージとそれ以降を削除</translation>
    </message>
    <message>
        <source>Delete, on a message</source>
        <translation>Delete（メッセージ上）</translation>
    </message>
    <message>
        <source>Previous or next message</source>
        <translation>前/次のメッセージ</translation>
    </message>
    <message>
        <source>Up or Down, on a message</source>
        <translation>↑または↓（メッセージ上）</translation>
    </message>
    <message>
        <source>Message actions</source>
        <translation>メッセージの操作</translation>
    </message>
    <message>
        <source>Tab, on a message</source>
        <translation>Tab（メッセージ上）</translation>
    </message>
    <message>
        <source>Scroll code sideways</source>
        <translation>コードを横にスクロール</translation>
    </message>
    <message>
        <source>Left or Right, on a message</source>
        <translation>←または→（メッセージ上）</translation>
    </message>
    <message>
        <source>Code menu</source>
        <translation>コードのメニュー</translation>
    </message>
    <message>
        <source>Shift+F10, on a message</source>
        <translation>Shift+F10（メッセージ上）</translation>
    </message>
    <message>
        <source>Pause or resume reply</source>
        <translation>回答を一時停止/再開</translation>
    </message>
    <message>
        <source>Space (in the score)</source>
        <translation>スペース（総譜内）</translation>
    </message>
    <message>
        <source>{size} in memory</source>
        <translation>メモリ使用量: {size}</translation>
    </message>
    <message>
        <source>Something went wrong. Your last action may not have taken effect.</source>
        <translation>問題が起きました。直前の操作は反映されていない可能性があります。</translation>
    </message>
    <message>
        <source>The file with your chats is damaged, and nothing more can be saved in it. Quit Stretto and open it again to recover what can be read.</source>
        <translation>チャットのファイルが破損しているため、これ以上保存できません。Strettoを終了してもう一度開くと、読み取れる内容を復旧できます。</translation>
    </message>
    <message>
        <source>All changes are saved.</source>
        <translation>すべての変更が保存されました。</translation>
    </message>
    <message numerus="yes">
        <source>Selected chat</source>
        <comment>%Ln selected chats</comment>
        <translation>
            <numerusform>選択した%Ln件のチャット</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat exported to “{file}”</source>
        <comment>%Ln chats exported to “{file}”</comment>
        <translation>
            <numerusform>%Ln件のチャットを「{file}」に書き出しました</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln changed chat moved to the Trash</source>
        <comment>%Ln changed chats moved to the Trash</comment>
        <translation>
            <numerusform>変更した%Ln件のチャットをゴミ箱に入れました</numerusform>
        </translation>
    </message>
    <message>
        <source>To keep the current arrangement, choose Save Layout…</source>
        <translation>現在の配置を残すには: レイアウトを保存…</translation>
    </message>
    <message>
        <source>Saves which chats are open and where.</source>
        <translation>開いているチャットとその位置を保存します。</translation>
    </message>
    <message>
        <source>All chats in the layout “{name}” have been deleted</source>
        <translation>レイアウト「{name}」のチャットはすべて削除されています</translation>
    </message>
    <message numerus="yes">
        <source>%n of its chats has been deleted.</source>
        <comment>%n of its chats have been deleted.</comment>
        <translation>
            <numerusform>そのうち%n件のチャットは削除されています。</numerusform>
        </translation>
    </message>
    <message>
        <source>Multiple Computers…</source>
        <translation>複数のコンピュータ…</translation>
    </message>
    <message>
        <source>{name} restored</source>
        <translation>{name}を復元しました</translation>
    </message>
    <message>
        <source>{keys} undoes typing.</source>
        <translation>{keys}は入力の取り消しに使われます。</translation>
    </message>
    <message>
        <source>{keys} redoes typing.</source>
        <translation>{keys}は入力のやり直しに使われます。</translation>
    </message>
    <message>
        <source>{keys} types text. Add Command or Option.</source>
        <translation>{keys}は文字の入力に使われます。CommandまたはOptionを加えてください。</translation>
    </message>
    <message>
        <source>{keys} types text. Add Ctrl or Alt.</source>
        <translation>{keys}は文字の入力に使われます。CtrlまたはAltを加えてください。</translation>
    </message>
    <message>
        <source>Press the new shortcut.</source>
        <translation>新しいショートカットを押してください。</translation>
    </message>
    <message>
        <source>Search shortcuts</source>
        <translation>ショートカットを検索</translation>
    </message>
    <message>
        <source>No matches</source>
        <translation>一致する項目はありません</translation>
    </message>
    <message>
        <source>Commands and shortcuts</source>
        <translation>コマンドとショートカット</translation>
    </message>
    <message>
        <source>Reset All</source>
        <translation>すべてリセット</translation>
    </message>
    <message>
        <source>Undo Reset</source>
        <translation>リセットを取り消す</translation>
    </message>
    <message>
        <source>no shortcut</source>
        <translation>ショートカットなし</translation>
    </message>
    <message>
        <source>Default: {usual}</source>
        <translation>デフォルト: {usual}</translation>
    </message>
    <message>
        <source>Change shortcut</source>
        <translation>ショートカットを変更</translation>
    </message>
    <message>
        <source>All shortcuts reset</source>
        <translation>すべてのショートカットをリセットしました</translation>
    </message>
    <message>
        <source>Change Shortcut</source>
        <translation>ショートカットを変更</translation>
    </message>
    <message>
        <source>Shortcut for {command}</source>
        <translation>「{command}」のショートカット</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>消去</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>リセット</translation>
    </message>
    <message>
        <source>Press the new shortcut for “{command}”</source>
        <translation>「{command}」の新しいショートカットを押してください</translation>
    </message>
    <message>
        <source>This is the default shortcut</source>
        <translation>デフォルトのショートカットです</translation>
    </message>
    <message>
        <source>This command has no shortcut</source>
        <translation>このコマンドにショートカットはありません</translation>
    </message>
    <message>
        <source>{keys} is used by “{command}” and will be removed there.</source>
        <translation>{keys}は「{command}」で使われています。設定するとそちらからは外れます。</translation>
    </message>
    <message>
        <source>This chat is empty.</source>
        <translation>このチャットは空です。</translation>
    </message>
    <message>
        <source>Copy Last Reply</source>
        <translation>最後の回答をコピー</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>再生成</translation>
    </message>
    <message>
        <source>Regenerate with Same Seed</source>
        <translation>同じシードで再生成</translation>
    </message>
    <message>
        <source>Previous Version</source>
        <translation>前のバージョン</translation>
    </message>
    <message>
        <source>Next Version</source>
        <translation>次のバージョン</translation>
    </message>
    <message>
        <source>Stop Reply</source>
        <translation>回答を停止</translation>
    </message>
    <message>
        <source>Find in Chat</source>
        <translation>チャット内を検索</translation>
    </message>
    <message>
        <source>Move to New Window</source>
        <translation>新規ウインドウに移動</translation>
    </message>
    <message>
        <source>Move to Previous Pane</source>
        <translation>前のペインに移動</translation>
    </message>
    <message>
        <source>Move to Next Pane</source>
        <translation>次のペインに移動</translation>
    </message>
    <message>
        <source>Make Pane Larger</source>
        <translation>ペインを大きくする</translation>
    </message>
    <message>
        <source>Make Pane Smaller</source>
        <translation>ペインを小さくする</translation>
    </message>
    <message>
        <source>Keep This Reply</source>
        <translation>この回答を残す</translation>
    </message>
    <message>
        <source>Focus Message Field</source>
        <translation>メッセージ欄へ移動</translation>
    </message>
    <message>
        <source>Prompt from {server}.</source>
        <translation>{server}のプロンプト。</translation>
    </message>
    <message>
        <source>Resource from {server}.</source>
        <translation>{server}のリソース。</translation>
    </message>
    <message>
        <source>Attach up to {most} files.</source>
        <translation>添付できるファイルは{most}個までです。</translation>
    </message>
    <message>
        <source>The message is empty.</source>
        <translation>メッセージが空です。</translation>
    </message>
    <message>
        <source>Edit Tags</source>
        <translation>タグを編集</translation>
    </message>
    <message>
        <source>replying</source>
        <translation>回答中</translation>
    </message>
    <message>
        <source>Add Remote Model</source>
        <translation>リモートモデルを追加</translation>
    </message>
    <message>
        <source>Add Remote Model…</source>
        <translation>リモートモデルを追加…</translation>
    </message>
    <message>
        <source>Focus Next Section</source>
        <translation>次の領域へ移動</translation>
    </message>
    <message>
        <source>Focus Previous Section</source>
        <translation>前の領域へ移動</translation>
    </message>
    <message>
        <source>Tool Servers (MCP)…</source>
        <translation>ツールサーバ（MCP）…</translation>
    </message>
    <message>
        <source>Tools for This Chat…</source>
        <translation>このチャットのツール…</translation>
    </message>
    <message>
        <source>No tool call is waiting for you.</source>
        <translation>保留中のツール呼び出しはありません。</translation>
    </message>
    <message>
        <source>Next Pending Tool Call</source>
        <translation>次の保留中のツール呼び出し</translation>
    </message>
    <message>
        <source>Nothing to undo</source>
        <translation>取り消せる操作はありません</translation>
    </message>
    <message>
        <source>Undo Close or Delete</source>
        <translation>閉じる/削除を取り消す</translation>
    </message>
    <message>
        <source>Copy Reply as Plain Text</source>
        <translation>回答をプレーンテキストとしてコピー</translation>
    </message>
    <message>
        <source>Copy Link</source>
        <translation>リンクをコピー</translation>
    </message>
    <message>
        <source>Select All</source>
        <translation>すべてを選択</translation>
    </message>
    <message>
        <source>Search commands, chats, models, settings</source>
        <translation>コマンド、チャット、モデル、設定を検索</translation>
    </message>
    <message>
        <source>No results</source>
        <translation>結果なし</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>最近使ったもの</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>ウインドウ</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>やり直す</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>カット</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>ペースト</translation>
    </message>
    <message>
        <source>“{folder}” is read-only in this chat.</source>
        <translation>「{folder}」はこのチャットでは読み出し専用です。</translation>
    </message>
    <message>
        <source>A file name has at most {most} characters.</source>
        <translation>ファイル名は{most}文字までです。</translation>
    </message>
    <message>
        <source>The file is too large to be changed.</source>
        <translation>ファイルが大きすぎるため変更できません。</translation>
    </message>
    <message>
        <source>The file isn’t UTF-8 text, so it can’t be changed.</source>
        <translation>UTF-8テキストではないため、このファイルは変更できません。</translation>
    </message>
    <message>
        <source>No changes</source>
        <translation>変更なし</translation>
    </message>
    <message>
        <source>This is a folder, not a file.</source>
        <translation>これはファイルではなくフォルダです。</translation>
    </message>
    <message>
        <source>The text contains characters that a file can’t hold.</source>
        <translation>ファイルに保存できない文字がテキストに含まれています。</translation>
    </message>
    <message>
        <source>The text is longer than {most} bytes.</source>
        <translation>テキストが{most}バイトを超えています。</translation>
    </message>
    <message>
        <source>The path contains a null character.</source>
        <translation>パスにヌル文字が含まれています。</translation>
    </message>
    <message>
        <source>Paths that contain “..” aren’t allowed.</source>
        <translation>「..」を含むパスは使用できません。</translation>
    </message>
    <message>
        <source>“{path}” isn’t in a folder of this chat.</source>
        <translation>「{path}」はこのチャットのフォルダにありません。</translation>
    </message>
    <message>
        <source>The file doesn’t exist.</source>
        <translation>ファイルが存在しません。</translation>
    </message>
    <message>
        <source>This isn’t a text file.</source>
        <translation>テキストファイルではありません。</translation>
    </message>
    <message>
        <source>The file or folder doesn’t exist.</source>
        <translation>ファイルまたはフォルダが存在しません。</translation>
    </message>
    <message>
        <source>This isn’t valid JSON: {why}, line {line}.</source>
        <translation>有効なJSONではありません: {why}、{line}行目。</translation>
    </message>
    <message>
        <source>An expression has 1 to {most} characters.</source>
        <translation>式は1〜{most}文字です。</translation>
    </message>
    <message>
        <source>the expression isn’t valid</source>
        <translation>式が正しくありません</translation>
    </message>
    <message>
        <source>This can’t be calculated: {why}.</source>
        <translation>計算できません: {why}。</translation>
    </message>
    <message>
        <source>There’s no function “{name}”.</source>
        <translation>関数「{name}」はありません。</translation>
    </message>
    <message>
        <source>The number is too large.</source>
        <translation>数が大きすぎます。</translation>
    </message>
    <message>
        <source>Date and Time</source>
        <translation>日付と時刻</translation>
    </message>
    <message>
        <source>Gets the date, time, and time zone.</source>
        <translation>日付、時刻、時間帯を取得します。</translation>
    </message>
    <message>
        <source>Get the date and time?</source>
        <translation>日付と時刻を取得しますか？</translation>
    </message>
    <message>
        <source>Calculator</source>
        <translation>計算機</translation>
    </message>
    <message>
        <source>Does arithmetic.</source>
        <translation>計算を行います。</translation>
    </message>
    <message>
        <source>Calculate this?</source>
        <translation>これを計算しますか？</translation>
    </message>
    <message>
        <source>List Folders</source>
        <translation>フォルダの一覧</translation>
    </message>
    <message>
        <source>Lists the files in this chat’s folders.</source>
        <translation>チャットのフォルダのファイルを一覧表示します。</translation>
    </message>
    <message>
        <source>List this folder?</source>
        <translation>このフォルダを一覧表示しますか？</translation>
    </message>
    <message>
        <source>List this chat’s folders?</source>
        <translation>このチャットのフォルダを一覧表示しますか？</translation>
    </message>
    <message>
        <source>Read Files</source>
        <translation>ファイルの読み取り</translation>
    </message>
    <message>
        <source>Reads text files in this chat’s folders.</source>
        <translation>チャットのフォルダのテキストファイルを読み取ります。</translation>
    </message>
    <message>
        <source>Read this file?</source>
        <translation>このファイルを読み取りますか？</translation>
    </message>
    <message>
        <source>Search Files</source>
        <translation>ファイルの検索</translation>
    </message>
    <message>
        <source>Finds files by name, or by the text in them.</source>
        <translation>ファイルを名前または内容で検索します。</translation>
    </message>
    <message>
        <source>Search this chat’s folders?</source>
        <translation>このチャットのフォルダを検索しますか？</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>テキスト</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>フォルダ</translation>
    </message>
    <message>
        <source>Write Files</source>
        <translation>ファイルの書き込み</translation>
    </message>
    <message>
        <source>Creates and changes text files. You see every change first.</source>
        <translation>テキストファイルを作成・変更します。変更は事前に確認できます。</translation>
    </message>
    <message>
        <source>Write this file?</source>
        <translation>このファイルに書き込みますか？</translation>
    </message>
    <message>
        <source>Web Pages</source>
        <translation>Webページ</translation>
    </message>
    <message>
        <source>Fetches the text of a public web page.</source>
        <translation>公開Webページのテキストを取得します。</translation>
    </message>
    <message>
        <source>Fetch this page?</source>
        <translation>このページを取得しますか？</translation>
    </message>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>Runs Python code, without network or files.</source>
        <translation>Pythonコードを実行します。ネットワークとファイルは使えません。</translation>
    </message>
    <message>
        <source>Run this Python code?</source>
        <translation>このPythonコードを実行しますか？</translation>
    </message>
    <message>
        <source>“{name}” must be text.</source>
        <translation>「{name}」はテキストでなければなりません。</translation>
    </message>
    <message>
        <source>tok/s: tokens (parts of words) per second
first token: time until the reply began
cached: tokens kept from earlier replies, so the model reads only the rest</source>
        <translation>tok/s：1秒あたりのトークン（単語の一部）の数
最初のトークン：回答が始まるまでの時間
キャッシュ：前の回答から残っているトークン。モデルは残りだけを読みます</translation>
    </message>
    <message>
        <source>Allow Writing in This Folder</source>
        <translation>このフォルダへの書き込みを許可</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>編集…</translation>
    </message>
    <message>
        <source>Change the arguments of this call  E</source>
        <translation>この呼び出しの引数を変更  E</translation>
    </message>
    <message>
        <source>Deny All</source>
        <translation>すべて拒否</translation>
    </message>
    <message>
        <source>Let the model continue with the results</source>
        <translation>結果を使ってモデルに続けさせる</translation>
    </message>
    <message numerus="yes">
        <source>Allow All</source>
        <comment>Allow All %Ln</comment>
        <translation>
            <numerusform>%Ln件すべて許可</numerusform>
        </translation>
    </message>
    <message>
        <source>What will happen</source>
        <translation>実行される内容</translation>
    </message>
    <message>
        <source>Run this call  Enter</source>
        <translation>この呼び出しを実行  Enter</translation>
    </message>
    <message>
        <source>Always Allow</source>
        <translation>常に許可</translation>
    </message>
    <message>
        <source>Run this tool in this chat without asking again  T</source>
        <translation>このチャットでは確認せずにこのツールを実行  T</translation>
    </message>
    <message>
        <source>Always Allow Server</source>
        <translation>サーバを常に許可</translation>
    </message>
    <message>
        <source>Run every tool of this server in this chat without asking  S</source>
        <translation>このチャットではこのサーバのすべてのツールを確認せずに実行  S</translation>
    </message>
    <message>
        <source>Don’t run this call  D</source>
        <translation>この呼び出しを実行しない  D</translation>
    </message>
    <message>
        <source>The server asked: {question}
You answered.</source>
        <translation>サーバからの質問: {question}
返答しました。</translation>
    </message>
    <message>
        <source>The server asked: {question}
You didn’t answer.</source>
        <translation>サーバからの質問: {question}
返答しませんでした。</translation>
    </message>
    <message>
        <source>Use {tool}?</source>
        <translation>{tool}を使いますか？</translation>
    </message>
    <message>
        <source>Use {tool} from {server}?</source>
        <translation>{server}の{tool}を使いますか？</translation>
    </message>
    <message>
        <source>Create this file?</source>
        <translation>このファイルを作成しますか？</translation>
    </message>
    <message>
        <source>Change this file?</source>
        <translation>このファイルを変更しますか？</translation>
    </message>
    <message>
        <source>{tool} · Denied</source>
        <translation>{tool} · 拒否</translation>
    </message>
    <message>
        <source>Allow or deny the tool call to continue.</source>
        <translation>続けるには、ツール呼び出しを許可または拒否してください。</translation>
    </message>
    <message>
        <source>The arguments aren’t valid JSON: {why}, line {line}.</source>
        <translation>引数が有効なJSONではありません: {why}、{line}行目。</translation>
    </message>
    <message>
        <source>The arguments aren’t valid JSON.</source>
        <translation>引数が有効なJSONではありません。</translation>
    </message>
    <message>
        <source>The arguments must be a JSON object, such as { … }.</source>
        <translation>引数は{ … }のようなJSONオブジェクトでなければなりません。</translation>
    </message>
    <message>
        <source>The result was too long for this chat and was left out.</source>
        <translation>結果がこのチャットには長すぎるため省略しました。</translation>
    </message>
    <message>
        <source>There’s no tool “{name}” in this chat.</source>
        <translation>このチャットにツール「{name}」はありません。</translation>
    </message>
    <message>
        <source>This call is no longer waiting.</source>
        <translation>この呼び出しはもう待機していません。</translation>
    </message>
    <message>
        <source>Check the changes, then allow them.</source>
        <translation>変更を確認してから許可してください。</translation>
    </message>
    <message>
        <source>The tool failed: {kind}.</source>
        <translation>ツールが失敗しました: {kind}。</translation>
    </message>
    <message>
        <source>Previous 7 Days</source>
        <translation>過去7日間</translation>
    </message>
    <message>
        <source>Previous 30 Days</source>
        <translation>過去30日間</translation>
    </message>
    <message>
        <source>Open Side by Side</source>
        <translation>並べて開く</translation>
    </message>
    <message>
        <source>Ungroup</source>
        <translation>グループを解除</translation>
    </message>
    <message>
        <source>group</source>
        <comment>of chats that were asked together</comment>
        <translation>グループ</translation>
    </message>
    <message numerus="yes">
        <source>Chat closed</source>
        <comment>%n chats closed</comment>
        <translation>
            <numerusform>%n件のチャットを閉じました</numerusform>
        </translation>
    </message>
    <message>
        <source>Move to Main Window</source>
        <translation>メインウインドウに移動</translation>
    </message>
    <message>
        <source>Restore Panes</source>
        <translation>ペインを元に戻す</translation>
    </message>
    <message>
        <source>Maximize Pane</source>
        <translation>ペインを最大化</translation>
    </message>
    <message>
        <source>This pane already fills its window</source>
        <translation>このペインはすでにウインドウ全体に表示されています</translation>
    </message>
    <message>
        <source>This pane has no other tab</source>
        <translation>このペインにはほかのタブがありません</translation>
    </message>
    <message>
        <source>There’s no tab to the right</source>
        <translation>右側にタブはありません</translation>
    </message>
    <message>
        <source>Close Other Tabs</source>
        <translation>ほかのタブを閉じる</translation>
    </message>
    <message>
        <source>Close Tabs to the Right</source>
        <translation>右側のタブを閉じる</translation>
    </message>
    <message>
        <source>Restore Panes  Shift+Esc</source>
        <translation>ペインを元に戻す  Shift+Esc</translation>
    </message>
    <message>
        <source>Scroll bar</source>
        <translation>スクロールバー</translation>
    </message>
    <message>
        <source>Stretto asks before each call.</source>
        <translation>呼び出しのたびにStrettoが確認します。</translation>
    </message>
    <message>
        <source>Always allowed in this chat: {tools}. Stretto asks before other calls.</source>
        <translation>このチャットで常に許可: {tools}。ほかの呼び出しは確認します。</translation>
    </message>
    <message>
        <source>{folder} · read and write</source>
        <translation>{folder} · 読み書き</translation>
    </message>
    <message>
        <source>{folder} · read-only</source>
        <translation>{folder} · 読み出し専用</translation>
    </message>
    <message>
        <source>Make Read-Only</source>
        <translation>読み出し専用にする</translation>
    </message>
    <message>
        <source>Refresh Tools</source>
        <translation>ツールを更新</translation>
    </message>
    <message>
        <source>Load Tools</source>
        <translation>ツールを読み込む</translation>
    </message>
    <message>
        <source>Enable Tools</source>
        <translation>ツールを有効にする</translation>
    </message>
    <message>
        <source>The model reads these descriptions</source>
        <translation>モデルはこの説明を読みます</translation>
    </message>
    <message>
        <source>Offer resources with @ and prompts with /</source>
        <translation>@でリソース、/でプロンプトを表示</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>接続中…</translation>
    </message>
    <message>
        <source>Tool Servers</source>
        <translation>ツールサーバ</translation>
    </message>
    <message>
        <source>Tool servers as JSON</source>
        <translation>JSON形式のツールサーバ</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>読み込む…</translation>
    </message>
    <message>
        <source>MCP servers, in the JSON format that Claude and LM Studio use.</source>
        <translation>MCPサーバ（ClaudeやLM Studioと同じJSON形式）。</translation>
    </message>
    <message>
        <source>Save your changes to the tool servers?</source>
        <translation>ツールサーバの変更を保存しますか？</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>破棄</translation>
    </message>
    <message>
        <source>Removed: {servers}</source>
        <translation>削除: {servers}</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>保存しました</translation>
    </message>
    <message>
        <source>No other programs with tool servers</source>
        <translation>ツールサーバを持つほかのプログラムはありません</translation>
    </message>
    <message numerus="yes">
        <source>%n server added from {place}</source>
        <comment>%n servers added from {place}</comment>
        <translation>
            <numerusform>{place}から%n個のサーバを追加しました</numerusform>
        </translation>
    </message>
    <message>
        <source>The log is empty.</source>
        <translation>ログは空です。</translation>
    </message>
    <message>
        <source>Always Allowed</source>
        <translation>常に許可</translation>
    </message>
    <message>
        <source>None. Stretto asks before each call.</source>
        <translation>なし。呼び出しのたびにStrettoが確認します。</translation>
    </message>
    <message>
        <source>All tools</source>
        <translation>すべてのツール</translation>
    </message>
    <message>
        <source>{path}: read-only in “{chat}”</source>
        <translation>{path}: 「{chat}」で読み出し専用</translation>
    </message>
    <message>
        <source>{path}: read and write in “{chat}”</source>
        <translation>{path}: 「{chat}」で読み書き</translation>
    </message>
    <message>
        <source>You see each change to a file before it is made.</source>
        <translation>ファイルの変更は、行う前に毎回確認できます。</translation>
    </message>
    <message>
        <source>Python is unavailable: it needs bubblewrap (bwrap) to run code safely.</source>
        <translation>Pythonは使えません。コードを安全に実行するにはbubblewrap（bwrap）が必要です。</translation>
    </message>
    <message>
        <source>Python is unavailable: this system can’t run code safely.</source>
        <translation>Pythonは使えません。このシステムではコードを安全に実行できません。</translation>
    </message>
    <message>
        <source>Included</source>
        <translation>付属</translation>
    </message>
    <message>
        <source>Added folder</source>
        <translation>追加したフォルダ</translation>
    </message>
    <message>
        <source>Not quantized</source>
        <translation>量子化なし</translation>
    </message>
    <message>
        <source>Not stated in its configuration</source>
        <translation>構成に記載なし</translation>
    </message>
    <message>
        <source>According to its template and configuration</source>
        <translation>テンプレートと構成の記載による</translation>
    </message>
    <message>
        <source>searching…</source>
        <translation>検索中…</translation>
    </message>
    <message>
        <source>Tokens that a prompt and its reply can have together</source>
        <translation>プロンプトと回答を合わせたトークン数の上限</translation>
    </message>
    <message>
        <source>Weights and the KV caches of its chats</source>
        <translation>重みとチャットのKVキャッシュ</translation>
    </message>
    <message>
        <source>Capabilities</source>
        <comment>what a model can do</comment>
        <translation>機能</translation>
    </message>
    <message>
        <source>Last used</source>
        <comment>when a model was used</comment>
        <translation>最終使用</translation>
    </message>
    <message>
        <source>Clear search</source>
        <translation>検索を消去</translation>
    </message>
    <message>
        <source>Download a model from Hugging Face</source>
        <translation>Hugging Faceからモデルをダウンロード</translation>
    </message>
    <message>
        <source>No models found</source>
        <translation>モデルが見つかりません</translation>
    </message>
    <message>
        <source>{name} unloaded. It loads again when a chat needs it.</source>
        <translation>{name}をアンロードしました。チャットで必要になると再びロードされます。</translation>
    </message>
    <message>
        <source>Choose a smaller model, or one with fewer bits.</source>
        <translation>より小さいモデルか、ビット数の少ないモデルを選択してください。</translation>
    </message>
    <message>
        <source>Recommended for this computer ({gigabytes} GB of memory)</source>
        <translation>このコンピュータにおすすめ（メモリ{gigabytes} GB）</translation>
    </message>
    <message>
        <source>No models found. Try other words.</source>
        <translation>モデルが見つかりません。別の語でお試しください。</translation>
    </message>
    <message>
        <source>Searching Hugging Face…</source>
        <translation>Hugging Faceを検索中…</translation>
    </message>
    <message>
        <source>Convert {name} to a smaller copy</source>
        <translation>{name}を小さいコピーに変換</translation>
    </message>
    <message>
        <source>The original ({size}) stays. Converting takes a few minutes.</source>
        <translation>元のモデル（{size}）は残ります。変換には数分かかります。</translation>
    </message>
    <message>
        <source>Draft Model</source>
        <translation>ドラフトモデル</translation>
    </message>
    <message>
        <source>Draft model for {name}</source>
        <translation>{name}のドラフトモデル</translation>
    </message>
    <message>
        <source>{name}: different tokenizer</source>
        <translation>{name}: トークナイザが異なります</translation>
    </message>
    <message>
        <source>No smaller model on this computer has the same tokenizer.</source>
        <translation>このコンピュータに、同じトークナイザを使う小さいモデルはありません。</translation>
    </message>
    <message>
        <source>The folder no longer exists</source>
        <translation>フォルダはもうありません</translation>
    </message>
    <message>
        <source>More for {name}</source>
        <translation>{name}のその他の操作</translation>
    </message>
    <message>
        <source>Keeps it at the top of the list, and in memory</source>
        <translation>リストの先頭とメモリに保持します</translation>
    </message>
    <message>
        <source>Makes a smaller copy</source>
        <translation>小さいコピーを作成します</translation>
    </message>
    <message>
        <source>A small model that speeds up its replies</source>
        <translation>回答を速くする小さいモデル</translation>
    </message>
    <message>
        <source>New chat with {name}</source>
        <translation>{name}との新規チャット</translation>
    </message>
    <message>
        <source>Added as {name} + {adapter}.</source>
        <translation>{name} + {adapter}として追加しました。</translation>
    </message>
    <message>
        <source>{name} no longer uses a draft model.</source>
        <translation>{name}はドラフトモデルを使わなくなりました。</translation>
    </message>
    <message>
        <source>{name} uses {draft} as its draft model.</source>
        <translation>{name}はドラフトモデルとして{draft}を使います。</translation>
    </message>
    <message>
        <source>{name} uses {draft} as its draft model once loaded.</source>
        <translation>{name}はロードされるとドラフトモデルとして{draft}を使います。</translation>
    </message>
    <message>
        <source>Move {name} to the Trash? {warning}</source>
        <translation>{name}をゴミ箱に入れますか？{warning}</translation>
    </message>
    <message>
        <source>{name} removed from the list. Its files stay.</source>
        <translation>{name}をリストから削除しました。ファイルは残ります。</translation>
    </message>
    <message>
        <source>Moving {name} to the Trash…</source>
        <translation>{name}をゴミ箱に入れています…</translation>
    </message>
    <message>
        <source>Sends only your search to Hugging Face. Downloads only model data, never code.</source>
        <translation>Hugging Faceに送信するのは検索内容だけです。ダウンロードするのはモデルのデータだけで、コードは含まれません。</translation>
    </message>
    <message>
        <source>Downloads continue after you close this window.</source>
        <translation>このウインドウを閉じてもダウンロードは続きます。</translation>
    </message>
    <message>
        <source>This model needs a Hugging Face token</source>
        <translation>このモデルにはHugging Faceトークンが必要です</translation>
    </message>
    <message>
        <source>Asking Hugging Face…</source>
        <translation>Hugging Faceに問い合わせ中…</translation>
    </message>
    <message>
        <source>Waiting for Hugging Face</source>
        <translation>Hugging Faceの応答待ち</translation>
    </message>
    <message>
        <source>Choose a model or type its name</source>
        <translation>モデルを選択するか名前を入力してください</translation>
    </message>
    <message>
        <source>{name} hasn’t finished downloading</source>
        <translation>{name}のダウンロードが完了していません</translation>
    </message>
    <message numerus="yes">
        <source>%n model hasn’t finished downloading</source>
        <comment>%n models haven’t finished downloading</comment>
        <translation>
            <numerusform>%n個のモデルのダウンロードが完了していません</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} converted</source>
        <translation>{name}を変換しました</translation>
    </message>
    <message>
        <source>{name} downloaded</source>
        <translation>{name}をダウンロードしました</translation>
    </message>
    <message>
        <source>Remote models</source>
        <translation>リモートモデル</translation>
    </message>
    <message>
        <source>Shows models that suit this computer</source>
        <translation>このコンピュータに合うモデルを表示します</translation>
    </message>
    <message>
        <source>Chat with SmolLM2</source>
        <translation>SmolLM2とチャット</translation>
    </message>
    <message>
        <source>Try Stretto with the Guide</source>
        <translation>GuideでStrettoを試す</translation>
    </message>
    <message>
        <source>Runs on this computer. Your messages stay here.</source>
        <translation>このコンピュータで動作します。メッセージが外に出ることはありません。</translation>
    </message>
    <message>
        <source>A tiny built-in model that knows Stretto. For anything else, get a model.</source>
        <translation>Strettoに詳しい、内蔵のごく小さいモデルです。ほかのことにはモデルを入手してください。</translation>
    </message>
    <message>
        <source>It speaks English only.</source>
        <translation>使えるのは英語だけです。</translation>
    </message>
    <message>
        <source>Your chats are in other windows</source>
        <translation>チャットは別のウインドウにあります</translation>
    </message>
    <message>
        <source>Drag a tab here, or start a new chat.</source>
        <translation>タブをここにドラッグするか、新しいチャットを始めてください。</translation>
    </message>
    <message>
        <source>Choose a chat in the sidebar or start a new one. {keys} reopens the last one.</source>
        <translation>サイドバーでチャットを選択するか、新しいチャットを始めてください。{keys}で最後のチャットを開き直せます。</translation>
    </message>
    <message>
        <source>Choose a chat in the sidebar or start a new one.</source>
        <translation>サイドバーでチャットを選択するか、新しいチャットを始めてください。</translation>
    </message>
    <message>
        <source>this computer</source>
        <translation>このコンピュータ</translation>
    </message>
    <message>
        <source>No reply from {host} for {time}</source>
        <translation>{host}からの応答が{time}ありません</translation>
    </message>
    <message>
        <source>The reply is on its way.</source>
        <translation>回答はすでに届き始めています。</translation>
    </message>
    <message>
        <source>{title}, replying</source>
        <translation>{title}、回答中</translation>
    </message>
    <message>
        <source>{title}, unread</source>
        <translation>{title}、未読</translation>
    </message>
    <message>
        <source>New Chat  Ctrl+N</source>
        <translation>新規チャット  Ctrl+N</translation>
    </message>
    <message>
        <source>Split Right  Ctrl+\</source>
        <translation>右に分割  Ctrl+\</translation>
    </message>
    <message>
        <source>Split Down  Ctrl+Shift+\</source>
        <translation>下に分割  Ctrl+Shift+\</translation>
    </message>
    <message>
        <source>unread</source>
        <translation>未読</translation>
    </message>
    <message>
        <source>End of reasoning</source>
        <translation>思考の終わり</translation>
    </message>
    <message>
        <source>the file can’t be created</source>
        <translation>ファイルを作成できません</translation>
    </message>
    <message>
        <source>The model is still replying. Stop the reply or wait until it has ended.</source>
        <translation>モデルがまだ回答中です。回答を停止するか、終わるまでお待ちください。</translation>
    </message>
    <message>
        <source>The model isn’t replying.</source>
        <translation>モデルは回答中ではありません。</translation>
    </message>
    <message>
        <source>This message is no longer in the chat.</source>
        <translation>このメッセージはもうチャットにありません。</translation>
    </message>
    <message>
        <source>Stopped because it repeated itself</source>
        <comment>a reply</comment>
        <translation>同じ内容の繰り返しのため停止しました</translation>
    </message>
    <message>
        <source>The server didn’t say if it’s complete</source>
        <comment>a reply</comment>
        <translation>サーバは完了したかどうかを示していません</translation>
    </message>
    <message>
        <source>The message before it is deleted too. Restore that one first.</source>
        <translation>その前のメッセージも削除されています。先にそちらを復元してください。</translation>
    </message>
    <message>
        <source>You haven’t sent a message yet.</source>
        <translation>まだメッセージを送信していません。</translation>
    </message>
    <message>
        <source>There’s no message to reply to yet.</source>
        <translation>回答するメッセージがまだありません。</translation>
    </message>
    <message>
        <source>There’s no reply yet.</source>
        <translation>回答はまだありません。</translation>
    </message>
    <message>
        <source>“{file}” is too long for this model. Attach less of it, or remove it.</source>
        <translation>「{file}」はこのモデルには長すぎます。添付する部分を減らすか、削除してください。</translation>
    </message>
    <message>
        <source>Write a message first.</source>
        <translation>先にメッセージを入力してください。</translation>
    </message>
    <message>
        <source>The reply is stopping.</source>
        <translation>回答を停止しています。</translation>
    </message>
    <message>
        <source>The model is still loading.</source>
        <translation>モデルはまだロード中です。</translation>
    </message>
    <message>
        <source>There is nothing to continue.</source>
        <translation>続けるものはありません。</translation>
    </message>
    <message>
        <source>Send a message first. The chat is named after it.</source>
        <translation>先にメッセージを送信してください。チャットの名前はそのメッセージから付けられます。</translation>
    </message>
    <message>
        <source>This reply has no message before it.</source>
        <translation>この回答の前にメッセージがありません。</translation>
    </message>
    <message>
        <source>This isn’t a reply.</source>
        <translation>これは回答ではありません。</translation>
    </message>
    <message>
        <source>The seed of this reply is unknown</source>
        <translation>この回答のシードが不明です</translation>
    </message>
    <message>
        <source>Only the last reply can be continued.</source>
        <translation>続けられるのは最後の回答だけです。</translation>
    </message>
    <message>
        <source>There’s nothing to continue. Regenerate the reply instead.</source>
        <translation>続けるものがありません。回答を再生成してください。</translation>
    </message>
    <message>
        <source>{host} can’t continue a reply that was cut off. Regenerate it.</source>
        <translation>{host}は途切れた回答を続けられません。再生成してください。</translation>
    </message>
    <message>
        <source>The reply is complete.</source>
        <translation>回答は完了しています。</translation>
    </message>
    <message>
        <source>This reply didn’t fail because of its length.</source>
        <translation>この回答は長さのために失敗したのではありません。</translation>
    </message>
    <message>
        <source>What fits is unknown. Shorten the message or start a new chat.</source>
        <translation>収まる長さがわかりません。メッセージを短くするか、新しいチャットを始めてください。</translation>
    </message>
    <message>
        <source>The chat doesn’t fit without its oldest messages either. Shorten the message.</source>
        <translation>古いメッセージを除外してもチャットが収まりません。メッセージを短くしてください。</translation>
    </message>
    <message>
        <source>There are no older messages to leave out. Shorten the message.</source>
        <translation>除外できる古いメッセージがありません。メッセージを短くしてください。</translation>
    </message>
    <message>
        <source>This reply isn’t finished yet.</source>
        <translation>この回答はまだ終わっていません。</translation>
    </message>
    <message>
        <source>“{part}” isn’t a number. Enter numbers such as 1-3, 7.</source>
        <translation>「{part}」は数字ではありません。1-3, 7のように入力してください。</translation>
    </message>
    <message>
        <source>Enter numbers from 1 to {last}.</source>
        <translation>1から{last}までの数字を入力してください。</translation>
    </message>
    <message>
        <source>Enter numbers such as 1-3, 7.</source>
        <translation>1-3, 7のように数字を入力してください。</translation>
    </message>
    <message numerus="yes">
        <source>Attach at most %n file. Send the others in another message.</source>
        <comment>Attach at most %n files. Send the others in another message.</comment>
        <translation>
            <numerusform>添付できるファイルは%n個までです。残りは別のメッセージで送信してください。</numerusform>
        </translation>
    </message>
    <message>
        <source>“{name}” is a folder. Attach the files in it instead.</source>
        <translation>「{name}」はフォルダです。中のファイルを添付してください。</translation>
    </message>
    <message>
        <source>“{name}” is already attached.</source>
        <translation>「{name}」はすでに添付されています。</translation>
    </message>
    <message>
        <source>relevant passages</source>
        <translation>関連する箇所</translation>
    </message>
    <message numerus="yes">
        <source>%Ln token too long for this model.</source>
        <comment>%Ln tokens too long for this model.</comment>
        <translation>
            <numerusform>このモデルの上限を%Lnトークン超えています。</numerusform>
        </translation>
    </message>
    <message>
        <source>The oldest messages are left out.</source>
        <translation>古いメッセージから順に除外されます。</translation>
    </message>
    <message>
        <source>“{file}” couldn’t be saved: {why}.</source>
        <translation>「{file}」を保存できませんでした: {why}。</translation>
    </message>
    <message>
        <source>The chat no longer exists.</source>
        <translation>チャットはもうありません。</translation>
    </message>
    <message>
        <source>The reply format can’t be used. {wrong} Change it in the chat’s settings.</source>
        <translation>回答の形式を使用できません。{wrong}チャットの設定で変更してください。</translation>
    </message>
    <message>
        <source>A schema is a JSON object: { … }.</source>
        <translation>スキーマはJSONオブジェクトです: { … }。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln character. The limit is {most}.</source>
        <comment>%Ln characters. The limit is {most}.</comment>
        <translation>
            <numerusform>%Ln文字あります。上限は{most}文字です。</numerusform>
        </translation>
    </message>
    <message>
        <source>{name} isn’t a number in JSON.</source>
        <translation>{name}はJSONの数値ではありません。</translation>
    </message>
    <message>
        <source>it couldn’t be read</source>
        <translation>読み取れませんでした</translation>
    </message>
    <message>
        <source>{file}: a text in it is too long. Everything before it was read.</source>
        <translation>{file}: 長すぎるテキストがあります。それより前は読み取りました。</translation>
    </message>
    <message>
        <source>{file}: no chats in this archive.</source>
        <translation>{file}: このアーカイブにチャットはありません。</translation>
    </message>
    <message>
        <source>{file}: protected by a password.</source>
        <translation>{file}: パスワードで保護されています。</translation>
    </message>
    <message>
        <source>{file}: damaged or not JSON.</source>
        <translation>{file}: 破損しているか、JSONではありません。</translation>
    </message>
    <message>
        <source>{file}: damaged after chat {number}. Everything before it was read.</source>
        <translation>{file}: チャット{number}より後が破損しています。それより前は読み取りました。</translation>
    </message>
    <message>
        <source>{file}: nested too deeply. Everything before it was read.</source>
        <translation>{file}: 入れ子が深すぎます。それより前は読み取りました。</translation>
    </message>
    <message>
        <source>More items couldn’t be read.</source>
        <translation>ほかにも読み取れない項目がありました。</translation>
    </message>
    <message>
        <source>No chats imported.</source>
        <translation>読み込んだチャットはありません。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat imported from {programs}, with {messages}.</source>
        <comment>%Ln chats imported from {programs}, with {messages}.</comment>
        <translation>
            <numerusform>{programs}から%Ln件のチャット（{messages}）を読み込みました。</numerusform>
        </translation>
    </message>
    <message>
        <source>The import was stopped.</source>
        <translation>読み込みを停止しました。</translation>
    </message>
    <message numerus="yes">
        <source>{count} chat already exists and wasn’t changed.</source>
        <comment>{count} chats already exist and weren’t changed.</comment>
        <translation>
            <numerusform>{count}件のチャットはすでにあるため、変更していません。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} chat already exists in the Trash and wasn’t changed.</source>
        <comment>{count} chats already exist ({trashed} in the Trash) and weren’t changed.</comment>
        <translation>
            <numerusform>{count}件のチャットはすでにあるため（うち{trashed}件はゴミ箱）、変更していません。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln attachment.</source>
        <comment>Not imported: %Ln attachments.</comment>
        <translation>
            <numerusform>読み込まなかったもの: 添付ファイル%Ln個。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln image.</source>
        <comment>Not imported: %Ln images.</comment>
        <translation>
            <numerusform>読み込まなかったもの: 画像%Ln枚。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln recording or video.</source>
        <comment>Not imported: %Ln recordings and videos.</comment>
        <translation>
            <numerusform>読み込まなかったもの: 録音とビデオ%Ln件。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln tool call or result.</source>
        <comment>Not imported: %Ln tool calls and results.</comment>
        <translation>
            <numerusform>読み込まなかったもの: ツール呼び出しと結果%Ln件。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln citation without an address.</source>
        <comment>Not imported: %Ln citations without an address.</comment>
        <translation>
            <numerusform>読み込まなかったもの: アドレスのない出典%Ln件。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln change to a canvas or artifact.</source>
        <comment>Not imported: %Ln changes to a canvas or artifact.</comment>
        <translation>
            <numerusform>読み込まなかったもの: キャンバスまたはアーティファクトの変更%Ln件。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: custom instructions of %Ln chat.</source>
        <comment>Not imported: custom instructions of %Ln chats.</comment>
        <translation>
            <numerusform>読み込まなかったもの: %Ln件のチャットのカスタム指示。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln empty chat.</source>
        <comment>Not imported: %Ln empty chats.</comment>
        <translation>
            <numerusform>読み込まなかったもの: 空のチャット%Ln件。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln instruction within a chat.</source>
        <comment>Not imported: %Ln instructions within a chat.</comment>
        <translation>
            <numerusform>読み込まなかったもの: チャット途中の指示%Ln件。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Not imported: %Ln item of type “{kind}”.</source>
        <comment>Not imported: %Ln items of type “{kind}”.</comment>
        <translation>
            <numerusform>読み込まなかったもの: 「{kind}」タイプの項目%Ln件。</numerusform>
        </translation>
    </message>
    <message>
        <source>The model called a tool instead of replying, but this chat has no tools.</source>
        <translation>モデルは回答せずにツールを呼び出しましたが、このチャットにツールはありません。</translation>
    </message>
    <message>
        <source>The model’s tool call couldn’t be read.</source>
        <translation>モデルのツール呼び出しを解釈できませんでした。</translation>
    </message>
    <message>
        <source>{where}: can’t be saved.</source>
        <translation>{where}: 保存できません。</translation>
    </message>
    <message>
        <source>{file}, chat {number}</source>
        <translation>{file}、チャット{number}</translation>
    </message>
    <message>
        <source>{where}: too long.</source>
        <translation>{where}: 長すぎます。</translation>
    </message>
    <message>
        <source>{where}: not a chat.</source>
        <translation>{where}: チャットではありません。</translation>
    </message>
    <message>
        <source>{where}: damaged ({why}).</source>
        <translation>{where}: 破損しています（{why}）。</translation>
    </message>
    <message>
        <source>{where}: unknown format.</source>
        <translation>{where}: 不明な形式です。</translation>
    </message>
    <message>
        <source>{file}: saved by a newer version of Stretto.</source>
        <translation>{file}: 新しいバージョンのStrettoで保存されたファイルです。</translation>
    </message>
    <message>
        <source>{server} no longer has the tool “{tool}”.</source>
        <translation>{server}にツール「{tool}」はもうありません。</translation>
    </message>
    <message>
        <source>{server} has changed this tool. Refresh its tools first.</source>
        <translation>{server}がこのツールを変更しました。先にツールを更新してください。</translation>
    </message>
    <message>
        <source>No response within {seconds} s. The call was stopped.</source>
        <translation>{seconds}秒以内に応答がありません。呼び出しを停止しました。</translation>
    </message>
    <message>
        <source>{server} quit during the call.</source>
        <translation>呼び出し中に{server}が終了しました。</translation>
    </message>
    <message>
        <source>Before this call, {server} wants you to visit {pages}</source>
        <translation>この呼び出しの前に、{server}は{pages}を開くよう求めています</translation>
    </message>
    <message>
        <source>{server} didn’t respond: {why}</source>
        <translation>{server}が応答しません: {why}</translation>
    </message>
    <message>
        <source>{server} didn’t respond within {seconds} s.</source>
        <translation>{server}が{seconds}秒以内に応答しません。</translation>
    </message>
    <message>
        <source>{server} has quit.</source>
        <translation>{server}が終了しました。</translation>
    </message>
    <message>
        <source>{why} It restarts in {seconds} s.</source>
        <translation>{why}{seconds}秒後に再起動します。</translation>
    </message>
    <message>
        <source>{server} didn’t list its tools in time.</source>
        <translation>{server}が時間内にツールの一覧を返しませんでした。</translation>
    </message>
    <message>
        <source>{server} couldn’t list its tools: {why}</source>
        <translation>{server}がツールの一覧を返せませんでした: {why}</translation>
    </message>
    <message>
        <source>The list of servers is larger than 1 MB.</source>
        <translation>サーバのリストが1 MBを超えています。</translation>
    </message>
    <message>
        <source>it isn’t UTF-8 text</source>
        <translation>UTF-8テキストではありません</translation>
    </message>
    <message>
        <source>The tool servers couldn’t be saved: {why}.</source>
        <translation>ツールサーバを保存できませんでした: {why}。</translation>
    </message>
    <message>
        <source>This JSON isn’t a list of servers.</source>
        <translation>このJSONはサーバのリストではありません。</translation>
    </message>
    <message>
        <source>This isn’t a list of servers. It begins with {&quot;mcpServers&quot;: …}.</source>
        <translation>サーバのリストではありません。{&quot;mcpServers&quot;: …}で始まります。</translation>
    </message>
    <message>
        <source>the name must have 1 to 60 visible characters</source>
        <translation>名前は1〜60文字の表示可能な文字にしてください</translation>
    </message>
    <message>
        <source>the name can’t contain “/” or be “{name}”</source>
        <translation>名前に「/」を含めたり「{name}」にしたりできません</translation>
    </message>
    <message>
        <source>the entry isn’t an object</source>
        <translation>項目がオブジェクトではありません</translation>
    </message>
    <message>
        <source>timeout must be a number of seconds</source>
        <translation>timeoutは秒数で指定してください</translation>
    </message>
    <message>
        <source>“sse” servers aren’t supported; use the “http” address</source>
        <translation>「sse」サーバには対応していません。「http」アドレスを使ってください</translation>
    </message>
    <message>
        <source>url must begin with https:// or http://</source>
        <translation>urlはhttps://またはhttp://で始めてください</translation>
    </message>
    <message>
        <source>the entry has no command and no url</source>
        <translation>項目にcommandもurlもありません</translation>
    </message>
    <message>
        <source>args must be a list of strings</source>
        <translation>argsは文字列のリストにしてください</translation>
    </message>
    <message>
        <source>the command contains a null character</source>
        <translation>コマンドにヌル文字が含まれています</translation>
    </message>
    <message>
        <source>cwd must be a folder</source>
        <translation>cwdはフォルダにしてください</translation>
    </message>
    <message>
        <source>{what} must be an object of strings</source>
        <translation>{what}は文字列のオブジェクトにしてください</translation>
    </message>
    <message>
        <source>{what} contains a name or value that isn’t valid</source>
        <translation>{what}に無効な名前または値があります</translation>
    </message>
    <message>
        <source>not an email address.</source>
        <translation>メールアドレスではありません。</translation>
    </message>
    <message>
        <source>not an address such as https://example.org.</source>
        <translation>https://example.orgのようなアドレスではありません。</translation>
    </message>
    <message>
        <source>enter the date as 2026-05-31.</source>
        <translation>日付を2026-05-31の形式で入力してください。</translation>
    </message>
    <message>
        <source>enter date and time as 2026-05-31T14:30:00Z.</source>
        <translation>日時を2026-05-31T14:30:00Zの形式で入力してください。</translation>
    </message>
    <message>
        <source>{field} is required.</source>
        <translation>{field}は必須です。</translation>
    </message>
    <message>
        <source>{server} asked with a form that isn’t valid.</source>
        <translation>{server}の質問フォームが正しくありません。</translation>
    </message>
    <message>
        <source>{server} asked for more than {most} values at once.</source>
        <translation>{server}が一度に{most}個を超える値を求めました。</translation>
    </message>
    <message>
        <source>{server} asked to open something that isn’t a web address.</source>
        <translation>{server}がWebアドレスではないものを開こうとしました。</translation>
    </message>
    <message>
        <source>Your answer goes to {server}, not to the model. Never enter passwords, keys, or card numbers.</source>
        <translation>返答はモデルではなく{server}に送られます。パスワード、キー、カード番号は絶対に入力しないでください。</translation>
    </message>
    <message>
        <source>Open in Browser</source>
        <translation>ブラウザで開く</translation>
    </message>
    <message>
        <source>Open this address and let the server know</source>
        <translation>このアドレスを開き、サーバに知らせる</translation>
    </message>
    <message>
        <source>Send your answers to the server  Enter</source>
        <translation>返答をサーバに送信  Enter</translation>
    </message>
    <message>
        <source>Decline to answer  D</source>
        <translation>返答を断る  D</translation>
    </message>
    <message>
        <source>Dismiss the question  Esc</source>
        <translation>質問を閉じる  Esc</translation>
    </message>
    <message>
        <source>Enter an address, such as https://example.org/v1.</source>
        <translation>https://example.org/v1のようなアドレスを入力してください。</translation>
    </message>
    <message>
        <source>Enter the key in its own field, not in the address.</source>
        <translation>キーはアドレスではなく専用の欄に入力してください。</translation>
    </message>
    <message>
        <source>The address has no host. Enter it as https://example.org/v1.</source>
        <translation>アドレスにホストがありません。https://example.org/v1のように入力してください。</translation>
    </message>
    <message>
        <source>{host} needs a key, or rejects this one. Add the model again with its key.</source>
        <translation>{host}にはキーが必要か、このキーは受け付けられません。キーを付けてモデルを追加し直してください。</translation>
    </message>
    <message>
        <source>{host} needs payment for this. Add credit there, or choose another model.</source>
        <translation>{host}の利用には支払いが必要です。残高を追加するか、別のモデルを選択してください。</translation>
    </message>
    <message>
        <source>{host} has no model named “{model}”. Choose another, or check whether it was renamed.</source>
        <translation>{host}に「{model}」というモデルはありません。別のモデルを選択するか、名前が変わっていないか確認してください。</translation>
    </message>
    <message>
        <source>{host} is getting too many requests.</source>
        <translation>{host}へのリクエストが多すぎます。</translation>
    </message>
    <message>
        <source>{host} couldn’t reply (status {status}). Try again later.</source>
        <translation>{host}が回答できませんでした（ステータス{status}）。あとでもう一度お試しください。</translation>
    </message>
    <message>
        <source>{host} rejects this request (status {status}). It may not support one of the chat’s settings.</source>
        <translation>{host}がこのリクエストを拒否しました（ステータス{status}）。チャットの設定に対応していない可能性があります。</translation>
    </message>
    <message>
        <source>{host} sent no valid reply (status {status}). Check the address.</source>
        <translation>{host}から有効な応答がありません（ステータス{status}）。アドレスを確認してください。</translation>
    </message>
    <message>
        <source>{host} redirects requests. Check the address.</source>
        <translation>{host}はリクエストを転送します。アドレスを確認してください。</translation>
    </message>
    <message>
        <source>{host} redirects requests to {place}. Stretto doesn’t follow. If that address is right, add the model with it.</source>
        <translation>{host}がリクエストを{place}に転送しています。Strettoは転送先には送信しません。そのアドレスが正しければ、それでモデルを追加してください。</translation>
    </message>
    <message>
        <source>Try again later.</source>
        <translation>あとでもう一度お試しください。</translation>
    </message>
    <message>
        <source>{host} ended the reply before it began. Try again, or check the server.</source>
        <translation>{host}は回答が始まる前に終了しました。もう一度試すか、サーバを確認してください。</translation>
    </message>
    <message>
        <source>{host} sent too much and was stopped. The reply so far is kept.</source>
        <translation>{host}の送信量が多すぎるため停止しました。ここまでの回答は残っています。</translation>
    </message>
    <message>
        <source>{host} doesn’t respond. Try again, or check the server.</source>
        <translation>{host}が応答しません。もう一度試すか、サーバを確認してください。</translation>
    </message>
    <message>
        <source>The reply from {host} couldn’t be read.</source>
        <translation>{host}の回答を読み取れませんでした。</translation>
    </message>
    <message>
        <source>“{name}” isn’t a remote model. Choose another model.</source>
        <translation>「{name}」はリモートモデルではありません。別のモデルを選択してください。</translation>
    </message>
    <message>
        <source>{model} at {host} is no longer in your models, so nothing was sent. Add it again, or choose another model.</source>
        <translation>{host}の{model}はモデルの一覧にないため、何も送信していません。追加し直すか、別のモデルを選択してください。</translation>
    </message>
    <message>
        <source>It quit without a message.</source>
        <translation>メッセージを出さずに終了しました。</translation>
    </message>
    <message>
        <source>{host} has withheld the rest of this reply.</source>
        <translation>{host}がこの回答の残りを送信しませんでした。</translation>
    </message>
    <message>
        <source>Stretto is quitting.</source>
        <translation>Strettoを終了しています。</translation>
    </message>
    <message>
        <source>The server “{server}” was removed or is off.</source>
        <translation>サーバ「{server}」は削除されたかオフになっています。</translation>
    </message>
    <message>
        <source>The server “{server}” was changed. Try again.</source>
        <translation>サーバ「{server}」が変更されました。もう一度お試しください。</translation>
    </message>
    <message>
        <source>“{name}” isn’t text.</source>
        <translation>「{name}」はテキストではありません。</translation>
    </message>
    <message>
        <source>“{name}” has {size} characters. The limit is {most}.</source>
        <translation>「{name}」は{size}文字です。上限は{most}文字です。</translation>
    </message>
    <message>
        <source>Add a folder to this chat</source>
        <translation>このチャットにフォルダを追加</translation>
    </message>
    <message>
        <source>The page didn’t arrive within {seconds} s.</source>
        <translation>ページが{seconds}秒以内に届きませんでした。</translation>
    </message>
    <message>
        <source>The page is too large.</source>
        <translation>ページが大きすぎます。</translation>
    </message>
    <message>
        <source>{url} couldn’t be fetched: {why}.</source>
        <translation>{url}を取得できませんでした: {why}。</translation>
    </message>
    <message>
        <source>There were more than {most} redirects.</source>
        <translation>転送が{most}回を超えました。</translation>
    </message>
    <message>
        <source>An address has at most {most} characters.</source>
        <translation>アドレスは{most}文字までです。</translation>
    </message>
    <message>
        <source>This isn’t an address.</source>
        <translation>アドレスではありません。</translation>
    </message>
    <message>
        <source>The address must begin with http:// or https://.</source>
        <translation>http://またはhttps://で始まるアドレスだけを取得します。</translation>
    </message>
    <message>
        <source>The address can’t contain a name and password.</source>
        <translation>名前とパスワードを含むアドレスは取得しません。</translation>
    </message>
    <message>
        <source>There’s no server {host}.</source>
        <translation>サーバ{host}が見つかりません。</translation>
    </message>
    <message>
        <source>{host} isn’t on the public internet.</source>
        <translation>{host}は公開インターネット上にありません。</translation>
    </message>
    <message>
        <source>The server replied with status {status}.</source>
        <translation>サーバがステータス{status}で応答しました。</translation>
    </message>
    <message>
        <source>Stretto only fetches text, and this is {kind}.</source>
        <translation>取得するのはテキストだけです。これは{kind}です。</translation>
    </message>
    <message>
        <source>Blind comparison</source>
        <translation>ブラインド比較</translation>
    </message>
    <message>
        <source>Compare by</source>
        <translation>比較対象</translation>
    </message>
    <message>
        <source>Show Differences</source>
        <translation>違いを表示</translation>
    </message>
    <message>
        <source>Scroll Compared Replies Together</source>
        <translation>比較中の回答を一緒にスクロール</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>フィルタ</translation>
    </message>
    <message>
        <source>Filter  Alt+Down</source>
        <translation>フィルタ  Alt+Down</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>タグ</translation>
    </message>
    <message>
        <source>From Me</source>
        <translation>自分のメッセージ</translation>
    </message>
    <message>
        <source>From the Model</source>
        <translation>モデルのメッセージ</translation>
    </message>
    <message>
        <source>Archived</source>
        <translation>アーカイブ済み</translation>
    </message>
    <message>
        <source>Collapsed sidebar</source>
        <translation>折りたたまれたサイドバー</translation>
    </message>
    <message>
        <source>Show Sidebar  Ctrl+B</source>
        <translation>サイドバーを表示  Ctrl+B</translation>
    </message>
    <message>
        <source>Hide Sidebar  Ctrl+B</source>
        <translation>サイドバーを隠す  Ctrl+B</translation>
    </message>
    <message>
        <source>Collapse</source>
        <translation>折りたたむ</translation>
    </message>
    <message>
        <source>Expand</source>
        <translation>展開する</translation>
    </message>
    <message>
        <source>Open to the Side</source>
        <translation>横に開く</translation>
    </message>
    <message numerus="yes">
        <source>Move {count} Chat to Trash</source>
        <comment>Move {count} Chats to Trash</comment>
        <translation>
            <numerusform>{count}件のチャットをゴミ箱に入れる</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat unpinned</source>
        <comment>{count} chats unpinned</comment>
        <translation>
            <numerusform>{count}件のチャットの固定を解除しました</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat archived</source>
        <comment>{count} chats archived</comment>
        <translation>
            <numerusform>{count}件のチャットをアーカイブしました</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat unarchived</source>
        <comment>{count} chats unarchived</comment>
        <translation>
            <numerusform>{count}件のチャットのアーカイブを解除しました</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Chat removed from its folder</source>
        <comment>{count} chats removed from their folders</comment>
        <translation>
            <numerusform>{count}件のチャットをフォルダから出しました</numerusform>
        </translation>
    </message>
    <message>
        <source>Create</source>
        <translation>作成</translation>
    </message>
    <message>
        <source>Folder “{name}” deleted. Its chats are kept.</source>
        <translation>フォルダ「{name}」を削除しました。チャットは残っています。</translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>アーカイブを解除</translation>
    </message>
    <message>
        <source>Remove from Folder</source>
        <translation>フォルダから出す</translation>
    </message>
    <message>
        <source>New Subfolder…</source>
        <translation>新規サブフォルダ…</translation>
    </message>
    <message>
        <source>Move to Top Level</source>
        <translation>最上位に移動</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>検索結果</translation>
    </message>
    <message>
        <source>No chats yet</source>
        <translation>チャットはまだありません</translation>
    </message>
    <message>
        <source>Client</source>
        <translation>クライアント</translation>
    </message>
    <message>
        <source>Reply so far</source>
        <translation>ここまでの回答</translation>
    </message>
    <message>
        <source>This reply has ended.</source>
        <translation>この回答は終わりました。</translation>
    </message>
    <message>
        <source>Clients, {words}</source>
        <translation>クライアント、{words}</translation>
    </message>
    <message>
        <source>Clients</source>
        <translation>クライアント</translation>
    </message>
    <message>
        <source>none</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>Local API at {address}</source>
        <translation>ローカルAPI: {address}</translation>
    </message>
    <message>
        <source>expanded</source>
        <translation>展開</translation>
    </message>
    <message>
        <source>collapsed</source>
        <translation>折りたたみ</translation>
    </message>
    <message>
        <source>archived</source>
        <translation>アーカイブ済み</translation>
    </message>
    <message>
        <source>Ungrouped</source>
        <translation>グループを解除しました</translation>
    </message>
    <message>
        <source>Reply {letter}</source>
        <translation>回答{letter}</translation>
    </message>
    <message>
        <source>{reply} was {what}</source>
        <comment>Reply A was Seed 1</comment>
        <translation>{reply}は{what}でした</translation>
    </message>
    <message>
        <source>Chat moved to Trash</source>
        <translation>チャットをゴミ箱に入れました</translation>
    </message>
    <message>
        <source>Move Chat to Trash</source>
        <translation>チャットをゴミ箱に入れる</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat moved to Trash</source>
        <comment>%Ln chats moved to Trash</comment>
        <translation>
            <numerusform>%Ln件のチャットをゴミ箱に入れました</numerusform>
        </translation>
    </message>
    <message>
        <source>This change came after the chats were closed and isn’t saved.</source>
        <translation>この変更はチャットを閉じた後に届いたため、保存されていません。</translation>
    </message>
    <message>
        <source>Saving is taking longer than expected.</source>
        <translation>保存に予想より時間がかかっています。</translation>
    </message>
    <message>
        <source>The disk didn’t respond in time.</source>
        <translation>ディスクが時間内に応答しませんでした。</translation>
    </message>
    <message>
        <source>Not enough memory right now.</source>
        <translation>現在メモリが不足しています。</translation>
    </message>
    <message>
        <source>The chat no longer fits the model’s context.</source>
        <translation>チャットがモデルのコンテキストに収まらなくなりました。</translation>
    </message>
    <message>
        <source>The model couldn’t reply.</source>
        <translation>モデルは回答できませんでした。</translation>
    </message>
    <message>
        <source>The model can’t process this request.</source>
        <translation>モデルはこのリクエストを処理できません。</translation>
    </message>
    <message>
        <source>Not enough memory.</source>
        <translation>メモリが不足しています。</translation>
    </message>
    <message>
        <source>The model is still replying in this chat.</source>
        <translation>このチャットではモデルがまだ回答中です。</translation>
    </message>
    <message>
        <source>The model’s chat template doesn’t accept these messages.</source>
        <translation>モデルのチャットテンプレートはこれらのメッセージに対応していません。</translation>
    </message>
    <message>
        <source>The model is no longer loaded.</source>
        <translation>モデルはもうロードされていません。</translation>
    </message>
    <message>
        <source>This model can’t keep the chat separate from the others.</source>
        <translation>このモデルでは、チャットをほかと分けて保てません。</translation>
    </message>
    <message>
        <source>It needs {total}: {weights} for weights, {caches} for {chats} of {context} tokens, and {working} of working memory. {free} is free.</source>
        <translation>{total}が必要です: 重み{weights}、{context}トークンの{chats}に{caches}、作業用メモリ{working}。空きは{free}です。</translation>
    </message>
    <message>
        <source>Your last changes before the crash may be missing. The damaged journal is kept as {file}.</source>
        <translation>クラッシュ直前の変更が失われている可能性があります。破損したジャーナルは{file}として残してあります。</translation>
    </message>
    <message>
        <source>Stretto started without chats. Your earlier chats are kept as {file}.</source>
        <translation>Strettoはチャットのない状態で起動しました。以前のチャットは{file}として残してあります。</translation>
    </message>
    <message>
        <source>Recovered {messages} in {chats}. The damaged file is kept as {file}.</source>
        <translation>{chats}の{messages}を復旧しました。破損したファイルは{file}として残してあります。</translation>
    </message>
    <message>
        <source>Backup restored.</source>
        <translation>バックアップを復元しました。</translation>
    </message>
    <message>
        <source>Backup restored. Your previous chats are kept as {file}.</source>
        <translation>バックアップを復元しました。それまでのチャットは{file}として残してあります。</translation>
    </message>
    <message>
        <source>Failed ({kind}). See the log.</source>
        <translation>失敗しました（{kind}）。ログを確認してください。</translation>
    </message>
    <message>
        <source>Length limit reached</source>
        <comment>a reply</comment>
        <translation>長さの上限に到達</translation>
    </message>
    <message>
        <source>Memory full</source>
        <comment>a reply</comment>
        <translation>メモリ不足</translation>
    </message>
    <message>
        <source>Paste a JSON schema.</source>
        <translation>JSONスキーマを貼り付けてください。</translation>
    </message>
    <message>
        <source>Second reading ({letters})</source>
        <translation>2回目の評価（{letters}）</translation>
    </message>
    <message>
        <source>First reading ({letters})</source>
        <translation>1回目の評価（{letters}）</translation>
    </message>
    <message>
        <source>The judge preferred {letter} in both readings.</source>
        <translation>2回の評価のどちらでも{letter}が選ばれました。</translation>
    </message>
    <message>
        <source>The judge changed its mind, so no reply won: {first} in the first reading, {second} in the second.</source>
        <translation>評価が変わったため、選ばれた回答はありません: 1回目は{first}、2回目は{second}。</translation>
    </message>
    <message>
        <source>The judge didn’t name the same best reply in both readings.</source>
        <translation>2回の評価で同じ回答が最良に選ばれませんでした。</translation>
    </message>
    <message>
        <source>The model hasn’t replied to the tool results.</source>
        <translation>モデルはまだツールの結果に回答していません。</translation>
    </message>
    <message>
        <source>Interrupts the reply when “{file}” is ready. Esc cancels.</source>
        <translation>「{file}」の準備ができたら回答を中断して送信します。Escで取り消します。</translation>
    </message>
    <message>
        <source>“{file}” is too long for this model. Press “{link}” or remove the file.</source>
        <translation>「{file}」はこのモデルには長すぎます。「{link}」を押すか、ファイルを削除してください。</translation>
    </message>
    <message>
        <source>8 bits: practically identical to the original</source>
        <translation>8ビット: 元のモデルとほぼ同じ</translation>
    </message>
    <message>
        <source>2 and 6 bits: small, not for every model</source>
        <translation>2と6ビット: 小さいが、モデルによっては不向き</translation>
    </message>
    <message>
        <source>Already quantized. Convert the original model instead.</source>
        <translation>すでに量子化されています。元のモデルを変換してください。</translation>
    </message>
    <message>
        <source>The download failed.</source>
        <translation>ダウンロードできませんでした。</translation>
    </message>
    <message>
        <source>Hugging Face doesn’t allow access.</source>
        <translation>Hugging Faceがアクセスを許可していません。</translation>
    </message>
    <message>
        <source>This isn’t possible.</source>
        <translation>この操作はできません。</translation>
    </message>
    <message>
        <source>The model couldn’t be converted.</source>
        <translation>モデルを変換できませんでした。</translation>
    </message>
    <message>
        <source>Not enough disk space.</source>
        <translation>ディスクの空き容量が足りません。</translation>
    </message>
    <message>
        <source>Not found on Hugging Face.</source>
        <translation>Hugging Faceに見つかりません。</translation>
    </message>
    <message>
        <source>Hugging Face can’t be reached.</source>
        <translation>Hugging Faceに接続できません。</translation>
    </message>
    <message>
        <source>Hugging Face cannot be reached. Check the connection.</source>
        <translation>Hugging Faceに接続できません。接続を確認してください。</translation>
    </message>
    <message>
        <source>Hugging Face does not answer. Try again in a while.</source>
        <translation>Hugging Faceが応答しません。しばらくしてからもう一度お試しください。</translation>
    </message>
    <message>
        <source>Hugging Face answers too slowly. Try again in a while.</source>
        <translation>Hugging Faceの応答が遅すぎます。しばらくしてからもう一度お試しください。</translation>
    </message>
    <message>
        <source>{name} isn’t an adapter. Choose a folder with adapter_config.json and adapters.safetensors.</source>
        <translation>{name}はアダプタではありません。adapter_config.jsonとadapters.safetensorsのあるフォルダを選択してください。</translation>
    </message>
    <message>
        <source>{name} moved to the Trash. You can put it back from there.</source>
        <translation>{name}をゴミ箱に入れました。ゴミ箱から戻せます。</translation>
    </message>
    <message>
        <source>{name} moved to the Trash.</source>
        <translation>{name}をゴミ箱に入れました。</translation>
    </message>
    <message>
        <source>{name} is part of Stretto.</source>
        <translation>{name}はStrettoの一部です。</translation>
    </message>
    <message>
        <source>{folder} contains other files too. Remove the model’s files by hand.</source>
        <translation>{folder}にはほかのファイルもあります。モデルのファイルは手動で削除してください。</translation>
    </message>
    <message>
        <source>{name} is being moved to the Trash.</source>
        <translation>{name}をゴミ箱に入れています。</translation>
    </message>
    <message>
        <source>{name} is loading. Wait until it has loaded, or cancel.</source>
        <translation>{name}をロード中です。完了を待つか、キャンセルしてください。</translation>
    </message>
    <message>
        <source>{name} is being converted. Cancel the conversion first.</source>
        <translation>{name}を変換中です。先に変換をキャンセルしてください。</translation>
    </message>
    <message>
        <source>{name} is downloading. Cancel the download first.</source>
        <translation>{name}をダウンロード中です。先にダウンロードをキャンセルしてください。</translation>
    </message>
    <message>
        <source>The chat “{title}” uses it and will need another model.</source>
        <translation>チャット「{title}」が使用しているため、別のモデルが必要になります。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln chat uses it and will need another model.</source>
        <comment>%Ln chats use it and will need another model.</comment>
        <translation>
            <numerusform>%Ln件のチャットが使用しているため、別のモデルが必要になります。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other revision shares its files and is removed too.</source>
        <comment>%n other revisions share its files and are removed too.</comment>
        <translation>
            <numerusform>ファイルを共有するほかの%n個のリビジョンも削除されます。</numerusform>
        </translation>
    </message>
    <message>
        <source>Its folder contains other files, which are removed too: {list} and more.</source>
        <translation>フォルダ内のほかのファイルも削除されます: {list}など。</translation>
    </message>
    <message>
        <source>Its folder contains other files, which are removed too: {list}.</source>
        <translation>フォルダ内のほかのファイルも削除されます: {list}。</translation>
    </message>
    <message>
        <source>{name} couldn’t be removed: {why}. Show its folder and remove it there.</source>
        <translation>{name}を削除できませんでした: {why}。フォルダを表示して削除してください。</translation>
    </message>
    <message>
        <source>{name} couldn’t be restored: {why}.</source>
        <translation>{name}を復元できませんでした: {why}。</translation>
    </message>
    <message>
        <source>This model isn’t loaded.</source>
        <translation>このモデルはロードされていません。</translation>
    </message>
    <message>
        <source>The model is replying in “{chat}”. Stop the reply first.</source>
        <translation>モデルは「{chat}」で回答中です。先に回答を停止してください。</translation>
    </message>
    <message numerus="yes">
        <source>The model is replying in %n chat. Stop the reply first.</source>
        <comment>The model is replying in %n chats. Stop the replies first.</comment>
        <translation>
            <numerusform>モデルは%n件のチャットで回答中です。先に回答を停止してください。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Another chat is waiting for {model}. It keeps loading.</source>
        <comment>%n other chats are waiting for {model}. It keeps loading.</comment>
        <translation>
            <numerusform>ほかの%n件のチャットが{model}を待っているため、ロードを続けます。</numerusform>
        </translation>
    </message>
    <message>
        <source>{model} was unloaded because the system is low on memory. It loads again when you send a message.</source>
        <translation>システムのメモリが少ないため、{model}をアンロードしました。メッセージを送信すると再びロードされます。</translation>
    </message>
    <message>
        <source>Small and fast, often wrong</source>
        <translation>小さくて速いが、よく間違える</translation>
    </message>
    <message>
        <source>it no longer exists</source>
        <translation>もうありません</translation>
    </message>
    <message>
        <source>it can’t be moved to the Trash</source>
        <translation>ゴミ箱に入れられません</translation>
    </message>
    <message>
        <source>it wasn’t moved to the Trash</source>
        <translation>ゴミ箱に入れられませんでした</translation>
    </message>
    <message>
        <source>it is no longer in the Trash</source>
        <translation>もうゴミ箱にありません</translation>
    </message>
    <message>
        <source>an item with that name already exists</source>
        <translation>同じ名前の項目がすでにあります</translation>
    </message>
    <message>
        <source>Longer pastes become attachments.</source>
        <translation>これより長いペーストは添付ファイルになります。</translation>
    </message>
    <message>
        <source>Nothing about you is sent, and nothing is installed automatically.</source>
        <translation>個人情報は送信されず、自動でインストールされることもありません。</translation>
    </message>
    <message>
        <source>On</source>
        <translation>オン</translation>
    </message>
    <message>
        <source>Models reload when a chat needs them.</source>
        <translation>モデルはチャットで必要になると再びロードされます。</translation>
    </message>
    <message>
        <source>Editors, scripts, and agents use your models over the OpenAI and Anthropic APIs.</source>
        <translation>エディタ、スクリプト、エージェントからOpenAIとAnthropicのAPIでモデルを使えます。</translation>
    </message>
    <message>
        <source>Other computers always need a key.</source>
        <translation>ほかのコンピュータには常にキーが必要です。</translation>
    </message>
    <message>
        <source>Unknown names go to your first model.</source>
        <translation>不明な名前には最初のモデルが使われます。</translation>
    </message>
    <message>
        <source>When off, new sessions are refused at the limit.</source>
        <translation>オフのときは、上限に達すると新しいセッションを拒否します。</translation>
    </message>
    <message>
        <source>Your settings couldn’t be read. Changes aren’t saved until you quit Stretto.</source>
        <translation>設定を読み取れませんでした。Strettoを終了するまで、変更は保存されません。</translation>
    </message>
    <message>
        <source>Your settings couldn’t be read and were reset. The old file is kept as {name}.</source>
        <translation>設定を読み取れなかったため、リセットしました。以前のファイルは{name}として残してあります。</translation>
    </message>
    <message>
        <source>Spell check needs enchant (libenchant-2) and a dictionary for your language. Install them, then restart Stretto.</source>
        <translation>スペルチェックにはenchant（libenchant-2）とお使いの言語の辞書が必要です。インストールしてStrettoを再起動してください。</translation>
    </message>
    <message>
        <source>No dictionary for your language. Install one, for example from hunspell, or choose another language.</source>
        <translation>お使いの言語の辞書がありません。hunspellなどの辞書をインストールするか、別の言語を選択してください。</translation>
    </message>
    <message>
        <source>The file {path} is damaged or wasn’t created by Stretto. It hasn’t been changed. Stretto can recover what is readable into a new file or start with an empty one. The damaged file is kept.</source>
        <translation>ファイル{path}は破損しているか、Strettoのファイルではありません。変更は加えていません。読み取れる内容を新しいファイルに復旧するか、空のファイルで始めることができます。破損したファイルは残されます。</translation>
    </message>
    <message>
        <source>Nothing in {path} could be read. The file hasn’t been changed. Restore a backup, or set the file aside and start with an empty one.</source>
        <translation>{path}から何も読み取れませんでした。ファイルは変更していません。バックアップを復元するか、ファイルを退避して空のファイルで始めてください。</translation>
    </message>
    <message>
        <source>The chats in {path} were last used by a newer version of Stretto, and this version could damage them. Nothing has been changed. Open them with the newer version, or set the file aside and start with an empty one.</source>
        <translation>{path}のチャットは新しいバージョンのStrettoで使われており、このバージョンで開くと破損するおそれがあります。変更は加えていません。新しいバージョンで開くか、ファイルを退避して空のファイルで始めてください。</translation>
    </message>
    <message>
        <source>One change couldn’t be saved ({what}: {error}). All other changes are saved. Please report this error.</source>
        <translation>1件の変更を保存できませんでした（{what}: {error}）。ほかの変更は保存されています。このエラーを報告してください。</translation>
    </message>
    <message>
        <source>Your chats can’t be opened because the disk with {path} is full. Nothing is lost. Free some space, then try again.</source>
        <translation>{path}のあるディスクがいっぱいのため、チャットを開けません。何も失われていません。空き容量を増やして、もう一度お試しください。</translation>
    </message>
    <message>
        <source>Your latest messages aren’t saved yet because the disk with {path} is full. Free some space. Stretto tries again by itself.</source>
        <translation>{path}のあるディスクがいっぱいのため、最新のメッセージはまだ保存されていません。空き容量を増やしてください。Strettoが自動的に再試行します。</translation>
    </message>
    <message>
        <source>Stretto has no permission to write to {path}. Make the folder and its file writable and try again, or use another folder. Your chats are copied there.</source>
        <translation>Strettoには{path}への書き込み権限がありません。フォルダとファイルを書き込み可能にしてもう一度お試しいただくか、別のフォルダを使用してください。チャットはそこにコピーされます。</translation>
    </message>
    <message>
        <source>The chats in {path} couldn’t be read or saved ({error}). Check that the disk is connected and has free space, then try again.</source>
        <translation>{path}のチャットの読み取りまたは保存ができませんでした（{error}）。ディスクが接続され、空き容量があることを確認して、もう一度お試しください。</translation>
    </message>
    <message>
        <source>The update information isn’t signed by the makers of Stretto.</source>
        <translation>アップデート情報にStrettoの作成元の署名がありません。</translation>
    </message>
    <message>
        <source>The update information couldn’t be read.</source>
        <translation>アップデート情報を読み取れませんでした。</translation>
    </message>
    <message>
        <source>the request was redirected</source>
        <translation>リクエストが転送されました</translation>
    </message>
    <message>
        <source>No response: {why}.</source>
        <translation>応答がありません: {why}。</translation>
    </message>
    <message>
        <source>The check failed. See the log.</source>
        <translation>確認に失敗しました。ログを確認してください。</translation>
    </message>
    <message>
        <source>New comparison</source>
        <translation>新規の比較</translation>
    </message>
    <message>
        <source>The replies appear in this chat, and use its history and settings.</source>
        <translation>回答はこのチャットに表示され、その履歴と設定を使用します。</translation>
    </message>
    <message>
        <source>Message: {excerpt}</source>
        <translation>メッセージ：{excerpt}</translation>
    </message>
    <message>
        <source>Example: three roles</source>
        <translation>例: 3つの役割</translation>
    </message>
    <message>
        <source>Choose a saved comparison first.</source>
        <translation>先に保存した比較を選んでください。</translation>
    </message>
    <message>
        <source>Everything, including all branches and attached files. Can be imported again.</source>
        <translation>すべての分岐と添付ファイルを含む全内容。再び読み込めます。</translation>
    </message>
    <message>
        <source>The current branch. Attached files are only named.</source>
        <translation>現在の分岐。添付ファイルは名前だけです。</translation>
    </message>
    <message>
        <source>The current branch in one file. Attached files are only named.</source>
        <translation>現在の分岐を1つのファイルで。添付ファイルは名前だけです。</translation>
    </message>
    <message>
        <source>The current branch without formatting. Attached files are only named.</source>
        <translation>現在の分岐を書式なしで。添付ファイルは名前だけです。</translation>
    </message>
    <message>
        <source>The current branch, ready to print. Attached files are only named.</source>
        <translation>現在の分岐を印刷用のページで。添付ファイルは名前だけです。</translation>
    </message>
    <message>
        <source>Without a GPU, expect slow replies.</source>
        <translation>GPUがないため、回答は遅くなります。</translation>
    </message>
    <message>
        <source>{verdict}. Needs {total} of the {free} that models can use: {weights} for weights, {caches} for {chats} of {tokens}, and {working} of working memory.</source>
        <translation>{verdict}。モデルが使える{free}のうち{total}が必要です（重み{weights}、{tokens}の{chats}に{caches}、作業用メモリ{working}）。</translation>
    </message>
    <message>
        <source>Fits, slow</source>
        <translation>収まる（低速）</translation>
    </message>
    <message>
        <source>{verdict}. Needs {weights} of the {room} that models can use, plus some memory for each chat.</source>
        <translation>{verdict}。モデルが使える{room}のうち{weights}と、チャットごとのメモリが必要です。</translation>
    </message>
    <message>
        <source>This server is on this computer.</source>
        <translation>このサーバはこのコンピュータで動作しています。</translation>
    </message>
    <message>
        <source>Describe a quiet morning in one paragraph</source>
        <translation>静かな朝を1段落で描写してください</translation>
    </message>
    <message>
        <source>What is a black hole? Answer in two sentences.</source>
        <translation>ブラックホールとは何ですか？2文で答えてください。</translation>
    </message>
    <message>
        <source>Give me three tips for a good night’s sleep</source>
        <translation>よく眠るためのコツを3つ教えて</translation>
    </message>
    <message>
        <source>Describe autumn in a forest in one paragraph</source>
        <translation>森の秋を1段落で描写してください</translation>
    </message>
    <message>
        <source>Small, fast, and often wrong. Runs on this computer. Your messages stay here.</source>
        <translation>小さくて速いですが、よく間違えます。このコンピュータで動作します。メッセージは外に出ません。</translation>
    </message>
    <message>
        <source>A small model for any topic, fast and often wrong</source>
        <translation>何でも話せる、速いがよく間違える小さいモデル</translation>
    </message>
    <message>
        <source>Asks {name} the same question four times</source>
        <translation>同じ質問を{name}に4回します</translation>
    </message>
    <message>
        <source>Too long: {tokens}</source>
        <translation>長すぎます：{tokens}</translation>
    </message>
    <message>
        <source>up to date</source>
        <translation>最新</translation>
    </message>
    <message>
        <source>Following {title}</source>
        <translation>{title}をフォロー中</translation>
    </message>
    <message>
        <source>Tools for This Chat</source>
        <translation>このチャットのツール</translation>
    </message>
    <message>
        <source>Reproducible (slower)</source>
        <translation>再現可能（低速）</translation>
    </message>
    <message>
        <source>Interrupts the reply as soon as possible.</source>
        <translation>できるだけ早く回答を中断して送信します。</translation>
    </message>
    <message>
        <source>Open as Chats</source>
        <translation>チャットとして開く</translation>
    </message>
    <message>
        <source>There is nothing to save.</source>
        <translation>保存するものはありません。</translation>
    </message>
    <message>
        <source>Previous  Shift+Enter</source>
        <translation>前へ  Shift+Enter</translation>
    </message>
    <message>
        <source>Next  Enter</source>
        <translation>次へ  Enter</translation>
    </message>
    <message>
        <source>Delete Message</source>
        <translation>メッセージを削除</translation>
    </message>
    <message>
        <source>Choose Another Model…</source>
        <translation>別のモデルを選択…</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>エラー</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Copy Reply</source>
        <translation>回答をコピー</translation>
    </message>
    <message>
        <source>Regenerate  Ctrl+R</source>
        <translation>再生成  Ctrl+R</translation>
    </message>
    <message>
        <source>Regenerate with Same Seed  Ctrl+Shift+R</source>
        <translation>同じシードで再生成  Ctrl+Shift+R</translation>
    </message>
    <message>
        <source>Branch in New Chat</source>
        <translation>新規チャットに分岐</translation>
    </message>
    <message>
        <source>Delete from Here</source>
        <translation>ここ以降を削除</translation>
    </message>
    <message>
        <source>Empty reply</source>
        <translation>空の回答</translation>
    </message>
    <message>
        <source>Continue this reply</source>
        <translation>この回答を続ける</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>length limit reached</source>
        <translation>長さの上限に到達</translation>
    </message>
    <message>
        <source>memory full</source>
        <translation>メモリ不足</translation>
    </message>
    <message>
        <source>may be incomplete</source>
        <translation>途中の可能性があります</translation>
    </message>
    <message>
        <source>attached: {name}</source>
        <translation>添付: {name}</translation>
    </message>
    <message numerus="yes">
        <source>… %Ln more character</source>
        <comment>… %Ln more characters</comment>
        <translation>
            <numerusform>… あと%Ln文字</numerusform>
        </translation>
    </message>
    <message>
        <source>Show Text Sent to the Model</source>
        <translation>モデルに送ったテキストを表示</translation>
    </message>
    <message>
        <source>Text of {name}</source>
        <translation>{name}のテキスト</translation>
    </message>
    <message>
        <source>The text is no longer available.</source>
        <translation>このテキストはもうありません。</translation>
    </message>
    <message>
        <source>The rest isn’t shown.</source>
        <translation>以降は表示されません。</translation>
    </message>
    <message>
        <source>Unwrap Lines</source>
        <translation>行を折り返さない</translation>
    </message>
    <message>
        <source>Wrap Lines</source>
        <translation>行を折り返す</translation>
    </message>
    <message>
        <source>No longer in context</source>
        <translation>コンテキスト外</translation>
    </message>
    <message>
        <source>Edit in New Chat</source>
        <translation>新規チャットで編集</translation>
    </message>
    <message>
        <source>Show More</source>
        <translation>さらに表示</translation>
    </message>
    <message>
        <source>Show Less</source>
        <translation>表示を減らす</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>順番待ち</translation>
    </message>
    <message>
        <source>reading the prompt</source>
        <translation>プロンプトを読み取り中</translation>
    </message>
    <message>
        <source>waiting for you</source>
        <translation>操作待ち</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>アイドル</translation>
    </message>
    <message numerus="yes">
        <source>{title}: {state}, %Ln tokens in memory</source>
        <comment>{title}: {state}, %Ln tokens in memory</comment>
        <translation>
            <numerusform>{title}: {state}、メモリに%Lnトークン</numerusform>
        </translation>
    </message>
    <message>
        <source>queued, no. {place}</source>
        <translation>順番待ち {place}番目</translation>
    </message>
    <message>
        <source>{all} in use · chats {kv}</source>
        <translation>使用中 {all} · チャット {kv}</translation>
    </message>
    <message>
        <source>models {models} · chats {kv}</source>
        <translation>モデル {models} · チャット {kv}</translation>
    </message>
    <message>
        <source>context of chats</source>
        <translation>チャットのコンテキスト</translation>
    </message>
    <message>
        <source>free, kept for reuse</source>
        <translation>空き、再利用のため保持</translation>
    </message>
    <message>
        <source>Stretto</source>
        <translation>Stretto</translation>
    </message>
    <message>
        <source>Memory in use: {size}</source>
        <translation>使用中のメモリ: {size}</translation>
    </message>
    <message>
        <source>Models and chats use {used} of {most}.</source>
        <translation>モデルとチャットは{most}のうち{used}を使用しています。</translation>
    </message>
    <message>
        <source>Memory: models {weights}, chats {kv}</source>
        <translation>メモリ: モデル {weights}、チャット {kv}</translation>
    </message>
    <message>
        <source>Close Score  Ctrl+J</source>
        <translation>総譜を閉じる  Ctrl+J</translation>
    </message>
    <message>
        <source>Chats appear here while they reply.</source>
        <translation>回答中のチャットがここに表示されます。</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>アイドル</translation>
    </message>
    <message>
        <source>Scroll to End</source>
        <translation>末尾へスクロール</translation>
    </message>
    <message>
        <source>Discard your changes?</source>
        <translation>変更を破棄しますか？</translation>
    </message>
    <message>
        <source>Keep Editing</source>
        <translation>編集を続ける</translation>
    </message>
    <message>
        <source>Stretto {version} is available</source>
        <translation>Stretto {version}を利用できます</translation>
    </message>
    <message>
        <source>You have {version}. Your chats aren’t affected.</source>
        <translation>お使いのバージョンは{version}です。チャットには影響しません。</translation>
    </message>
    <message>
        <source>Cancel and Delete</source>
        <translation>キャンセルして削除</translation>
    </message>
    <message>
        <source>Enter a name first</source>
        <translation>先に名前を入力してください</translation>
    </message>
    <message>
        <source>Type / in an empty message to insert a prompt. Tab moves through its {{variables}}.</source>
        <translation>空のメッセージで「/」を入力するとプロンプトを挿入できます。Tabで{{variables}}を順に移動します。</translation>
    </message>
    <message>
        <source>Choose New to create your first prompt.</source>
        <translation>「新規」で最初のプロンプトを作成してください。</translation>
    </message>
    <message>
        <source>Restore and Restart</source>
        <translation>復元して再起動</translation>
    </message>
    <message>
        <source>Delete Permanently</source>
        <translation>完全に削除</translation>
    </message>
    <message>
        <source>The Trash is empty.</source>
        <translation>ゴミ箱は空です。</translation>
    </message>
    <message>
        <source>deleted permanently tomorrow</source>
        <translation>明日完全に削除</translation>
    </message>
    <message>
        <source>deleted permanently today</source>
        <translation>今日完全に削除</translation>
    </message>
    <message>
        <source>Select two or more computers and a model.</source>
        <translation>2台以上のコンピュータとモデルを選択してください。</translation>
    </message>
    <message>
        <source>Computer</source>
        <translation>コンピュータ</translation>
    </message>
    <message>
        <source>Compares connection and speed with a single computer</source>
        <translation>接続と速度を1台のコンピュータの場合と比較します</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>このコンピュータ</translation>
    </message>
    <message>
        <source>“local” is this computer. Choose another name.</source>
        <translation>「local」はこのコンピュータです。別の名前を選択してください。</translation>
    </message>
    <message>
        <source>Choose one, then enter its key.</source>
        <translation>1つ選択して、そのキーを入力してください。</translation>
    </message>
    <message>
        <source>Stored in your keychain and sent only to this address.</source>
        <translation>キーチェーンに保存し、このアドレスにだけ送信します。</translation>
    </message>
    <message>
        <source>Messages to this model leave this computer and go to {host}.</source>
        <translation>このモデルへのメッセージは、このコンピュータから{host}に送られます。</translation>
    </message>
    <message>
        <source>The connection isn’t encrypted: others on the network can read your messages and the key.</source>
        <translation>接続は暗号化されていません。ネットワーク上のほかの人がメッセージとキーを読み取れます。</translation>
    </message>
    <message>
        <source>Enter an address and choose or type a model.</source>
        <translation>アドレスを入力し、モデルを選択または入力してください。</translation>
    </message>
    <message>
        <source>Optional</source>
        <translation>任意</translation>
    </message>
    <message>
        <source>Get Model List</source>
        <translation>モデル一覧を取得</translation>
    </message>
    <message>
        <source>Asks the server which models it has. Nothing else is sent.</source>
        <translation>サーバにモデルの一覧を問い合わせます。ほかには何も送信しません</translation>
    </message>
    <message>
        <source>{name} removed from the list. Its chats stay.</source>
        <translation>{name}をリストから削除しました。チャットは残ります。</translation>
    </message>
    <message>
        <source>Model Card</source>
        <translation>モデルカード</translation>
    </message>
    <message>
        <source>Asks Hugging Face about this model</source>
        <translation>このモデルについてHugging Faceに問い合わせます</translation>
    </message>
    <message>
        <source>Already on this computer.</source>
        <translation>すでにこのコンピュータにあります。</translation>
    </message>
    <message>
        <source>This version of Stretto doesn’t support its architecture.</source>
        <translation>このバージョンのStrettoはこのアーキテクチャに対応していません。</translation>
    </message>
    <message>
        <source>The keychain couldn’t store the token. Stretto forgets it when you quit.</source>
        <translation>キーチェーンにトークンを保存できませんでした。終了時に破棄されます。</translation>
    </message>
    <message>
        <source>An access token is sent to Hugging Face.</source>
        <translation>アクセストークンをHugging Faceに送信します。</translation>
    </message>
    <message>
        <source>Remove access token</source>
        <translation>アクセストークンを削除</translation>
    </message>
    <message>
        <source>Open Model Page</source>
        <translation>モデルのページを開く</translation>
    </message>
    <message>
        <source>The server lists no models. Type the name of one.</source>
        <translation>サーバにモデルの一覧がありません。モデル名を入力してください。</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>このコンピュータ上</translation>
    </message>
    <message>
        <source>On another computer</source>
        <translation>別のコンピュータ上</translation>
    </message>
    <message>
        <source>Pin/Unpin Chat</source>
        <translation>チャットをピンで固定/固定を解除</translation>
    </message>
    <message>
        <source>Archive/Unarchive Chat</source>
        <translation>チャットをアーカイブ/解除</translation>
    </message>
    <message>
        <source>Pause/Resume Reply</source>
        <translation>回答を一時停止/再開</translation>
    </message>
    <message>
        <source>Attach Files…  Ctrl+Shift+A</source>
        <translation>ファイルを添付…  Ctrl+Shift+A</translation>
    </message>
    <message>
        <source>Cancel Edit  Esc</source>
        <translation>編集をキャンセル  Esc</translation>
    </message>
    <message>
        <source>Editing. The original is kept.</source>
        <translation>編集中。元の文は残ります。</translation>
    </message>
    <message>
        <source>Remove {name}  Del</source>
        <translation>{name}を削除  Del</translation>
    </message>
    <message>
        <source>Choose What to Send…</source>
        <translation>送る部分を選択…</translation>
    </message>
    <message>
        <source>Messages go to {host}.</source>
        <translation>メッセージは{host}に送信されます。</translation>
    </message>
    <message>
        <source>Messages go to {host} on this computer.</source>
        <translation>メッセージはこのコンピュータ上の{host}に送信されます。</translation>
    </message>
    <message>
        <source>{host} replies, on this computer.</source>
        <translation>このコンピュータ上の{host}が回答します。</translation>
    </message>
    <message>
        <source>A remote model. What you send in this chat goes to {host}.</source>
        <translation>リモートモデルです。このチャットで送信した内容は{host}に送られます。</translation>
    </message>
    <message>
        <source>Tool results are sent to {host}.</source>
        <translation>ツールの結果は{host}に送信されます。</translation>
    </message>
    <message>
        <source>{host} doesn’t support {names}. Token counts follow each reply.</source>
        <translation>{host}は{names}に対応していません。トークン数は回答のたびに表示されます。</translation>
    </message>
    <message>
        <source>{context}, {count} cached</source>
        <translation>{context}、キャッシュ済み{count}</translation>
    </message>
    <message>
        <source>Choose Model…</source>
        <translation>モデルを選択…</translation>
    </message>
    <message>
        <source>Chat Settings</source>
        <translation>チャットの設定</translation>
    </message>
    <message>
        <source>Chat Settings…</source>
        <translation>チャットの設定…</translation>
    </message>
    <message>
        <source>Reply format</source>
        <translation>回答の形式</translation>
    </message>
    <message>
        <source>Every reply has this format</source>
        <translation>すべての回答がこの形式になります</translation>
    </message>
    <message>
        <source>One choice per line</source>
        <translation>1行に1つの選択肢</translation>
    </message>
    <message>
        <source>One choice per line; \n is a line break</source>
        <translation>1行に1つの選択肢。\nは改行</translation>
    </message>
    <message>
        <source>A regular expression that the whole reply matches</source>
        <translation>回答全体が一致する正規表現</translation>
    </message>
    <message>
        <source>Before replying</source>
        <translation>回答の前</translation>
    </message>
    <message>
        <source>How the model should reply in this chat</source>
        <translation>このチャットでモデルがどう回答するか</translation>
    </message>
    <message>
        <source>Saved settings</source>
        <translation>保存した設定</translation>
    </message>
    <message>
        <source>Reuse Last</source>
        <translation>前回の値を再利用</translation>
    </message>
    <message>
        <source>Use the seed of the last reply</source>
        <translation>前回の回答のシードを使用</translation>
    </message>
    <message>
        <source>New seed for each reply</source>
        <translation>回答ごとに新しいシード</translation>
    </message>
    <message>
        <source>Stop sequences</source>
        <translation>停止シーケンス</translation>
    </message>
    <message>
        <source>One text per line</source>
        <translation>1行に1つのテキスト</translation>
    </message>
    <message>
        <source>The reply stops at any of these texts. One per line, with \n for a line break.</source>
        <translation>これらのテキストが現れると回答を停止します。1行に1つ。\nは改行です。</translation>
    </message>
    <message>
        <source>Token limit for this chat. Lower uses less memory.</source>
        <translation>このチャットのトークン上限。小さいほどメモリを節約できます。</translation>
    </message>
    <message>
        <source>Applies to the next reply.</source>
        <translation>次の回答から適用されます。</translation>
    </message>
    <message>
        <source>Fewer Settings</source>
        <translation>その他の設定を隠す</translation>
    </message>
    <message>
        <source>More Settings</source>
        <translation>その他の設定</translation>
    </message>
    <message>
        <source>reading…</source>
        <translation>読み取り中…</translation>
    </message>
    <message>
        <source>{name} attached, {about}</source>
        <translation>{name}を添付しました、{about}</translation>
    </message>
    <message>
        <source>reading {page} of {count}…</source>
        <translation>{count}ページ中{page}ページ目を読み取り中…</translation>
    </message>
    <message>
        <source>No longer following “{name}”</source>
        <translation>「{name}」のフォローをやめました</translation>
    </message>
    <message>
        <source>{name} removed</source>
        <translation>{name}を削除しました</translation>
    </message>
    <message>
        <source>Show Image</source>
        <translation>画像を表示</translation>
    </message>
    <message>
        <source>Pages as Images</source>
        <translation>ページを画像として送信</translation>
    </message>
    <message>
        <source>Scanned Pages as Images</source>
        <translation>スキャンされたページを画像として送信</translation>
    </message>
    <message>
        <source>Extract Text of Scanned Pages</source>
        <translation>スキャンされたページのテキストを抽出</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>すべて</translation>
    </message>
    <message>
        <source>Insert as Text</source>
        <translation>テキストとして挿入</translation>
    </message>
    <message>
        <source>Remove Attachment</source>
        <translation>添付ファイルを削除</translation>
    </message>
    <message>
        <source>Port {port} is in use. Choose another port.</source>
        <translation>ポート {port} は使用中です。別のポートを選択してください。</translation>
    </message>
    <message>
        <source>Port {port} can’t be used ({why}). Choose another port.</source>
        <translation>ポート {port} は使用できません（{why}）。別のポートを選択してください。</translation>
    </message>
    <message>
        <source>You stopped the reply.</source>
        <translation>回答を停止しました。</translation>
    </message>
    <message>
        <source>The reply failed.</source>
        <translation>回答に失敗しました。</translation>
    </message>
    <message>
        <source>The reply was interrupted.</source>
        <translation>回答が中断されました。</translation>
    </message>
    <message>
        <source>Not sent. {why}</source>
        <translation>送信されていません。{why}</translation>
    </message>
    <message>
        <source>Not sent yet.</source>
        <translation>まだ送信されていません。</translation>
    </message>
    <message numerus="yes">
        <source>%n message deleted</source>
        <comment>%n messages deleted</comment>
        <translation>
            <numerusform>%n件のメッセージを削除しました</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n chat gets it when its reply ends</source>
        <comment>%n chats get it when their replies end</comment>
        <translation>
            <numerusform>%n件のチャットには回答が終わってから送信されます</numerusform>
        </translation>
    </message>
    <message>
        <source>translation, locale</source>
        <translation>翻訳、地域、言語</translation>
    </message>
    <message>
        <source>Enter key, Return key, new line</source>
        <translation>Enterキー、Returnキー、改行</translation>
    </message>
    <message>
        <source>clipboard, paste</source>
        <translation>クリップボード、ペースト</translation>
    </message>
    <message>
        <source>spellcheck, dictionary, typos</source>
        <translation>スペルチェック、辞書、誤字</translation>
    </message>
    <message>
        <source>notifications, alerts, sound</source>
        <translation>通知、アラート、サウンド</translation>
    </message>
    <message>
        <source>keys, hotkeys, key bindings</source>
        <translation>キー、ショートカット、キー割り当て</translation>
    </message>
    <message>
        <source>upgrade, new version</source>
        <translation>アップグレード、新しいバージョン</translation>
    </message>
    <message>
        <source>dark mode, light mode, night, appearance, colors</source>
        <translation>ダークモード、ライトモード、夜、外観、色</translation>
    </message>
    <message>
        <source>accessibility, readability</source>
        <translation>アクセシビリティ、読みやすさ</translation>
    </message>
    <message>
        <source>font size, scale, larger, smaller</source>
        <translation>フォントサイズ、拡大率、大きく、小さく</translation>
    </message>
    <message>
        <source>font size, larger, smaller</source>
        <translation>フォントサイズ、大きく、小さく</translation>
    </message>
    <message>
        <source>animations, effects</source>
        <translation>アニメーション、効果</translation>
    </message>
    <message>
        <source>titles</source>
        <translation>タイトル</translation>
    </message>
    <message>
        <source>default model</source>
        <translation>デフォルトのモデル</translation>
    </message>
    <message>
        <source>creativity, randomness, sampling</source>
        <translation>創造性、ランダム、サンプリング</translation>
    </message>
    <message>
        <source>maximum tokens, length</source>
        <translation>最大トークン数、長さ</translation>
    </message>
    <message>
        <source>context window, overflow</source>
        <translation>コンテキストウインドウ、超過</translation>
    </message>
    <message>
        <source>RAM</source>
        <translation>RAM</translation>
    </message>
    <message>
        <source>free memory</source>
        <translation>メモリを解放</translation>
    </message>
    <message>
        <source>HTTP, OpenAI, endpoint</source>
        <translation>HTTP、OpenAI、エンドポイント</translation>
    </message>
    <message>
        <source>network, LAN</source>
        <translation>ネットワーク、LAN</translation>
    </message>
    <message>
        <source>access, password</source>
        <translation>アクセス、パスワード</translation>
    </message>
    <message>
        <source>plugins, extensions, connectors</source>
        <translation>プラグイン、拡張機能、コネクタ</translation>
    </message>
    <message>
        <source>storage, space</source>
        <translation>ストレージ、容量</translation>
    </message>
    <message>
        <source>recover, earlier state</source>
        <translation>復元、以前の状態</translation>
    </message>
    <message>
        <source>deleted chats</source>
        <translation>削除したチャット</translation>
    </message>
    <message>
        <source>No settings found</source>
        <translation>設定が見つかりません</translation>
    </message>
    <message>
        <source>Show fewer</source>
        <translation>一部のみ表示</translation>
    </message>
    <message>
        <source>My chats first</source>
        <translation>自分のチャットを優先</translation>
    </message>
    <message>
        <source>Equal</source>
        <translation>同等</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>優先順位</translation>
    </message>
    <message>
        <source>Who goes first when the model is busy</source>
        <translation>モデルが混んでいるときの優先順</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>完了</translation>
    </message>
    <message>
        <source>running a tool for {time}</source>
        <translation>ツールを実行中（{time}）</translation>
    </message>
    <message>
        <source>waiting for the model</source>
        <translation>モデルを待機中</translation>
    </message>
    <message>
        <source>waiting for its turn</source>
        <translation>順番待ち</translation>
    </message>
    <message>
        <source>reading {share} of {total}</source>
        <translation>{total}中{share}を読み取り中</translation>
    </message>
    <message>
        <source>reading {share} of {total} ({known} cached)</source>
        <translation>{total}中{share}を読み取り中（キャッシュ{known}）</translation>
    </message>
    <message>
        <source>{share} of context</source>
        <translation>コンテキストの{share}</translation>
    </message>
    <message>
        <source>Save as Chat</source>
        <translation>チャットとして保存</translation>
    </message>
    <message>
        <source>Too long to be saved as a chat.</source>
        <translation>長すぎるためチャットとして保存できません。</translation>
    </message>
    <message>
        <source>Stop this agent</source>
        <translation>このエージェントを停止</translation>
    </message>
    <message>
        <source>sub-agent</source>
        <translation>サブエージェント</translation>
    </message>
    <message>
        <source>Stop all of them</source>
        <translation>すべて停止</translation>
    </message>
    <message numerus="yes">
        <source>{program} · %n agent</source>
        <comment>{program} · %n agents</comment>
        <translation>
            <numerusform>{program} · エージェント%n件</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n busy</source>
        <comment>%n busy</comment>
        <translation>
            <numerusform>%n件が動作中</numerusform>
        </translation>
    </message>
    <message>
        <source>Shuffles the replies and hides names until you keep one</source>
        <translation>回答を並べ替え、1つを残すまで名前を隠します</translation>
    </message>
    <message>
        <source>See Four Replies</source>
        <translation>4つの回答を見る</translation>
    </message>
    <message>
        <source>Leave Broadcast</source>
        <translation>一斉送信から外れる</translation>
    </message>
    <message>
        <source>Join Broadcast</source>
        <translation>一斉送信に加わる</translation>
    </message>
    <message>
        <source>{name} kept</source>
        <translation>{name}を残しました</translation>
    </message>
    <message>
        <source>{name} kept, {kept} of {times} times so far</source>
        <translation>{name}を残しました（これまで{times}回中{kept}回）</translation>
    </message>
    <message>
        <source>Unpin Chat</source>
        <translation>チャットの固定を解除</translation>
    </message>
    <message>
        <source>Pin Chat</source>
        <translation>チャットをピンで固定</translation>
    </message>
    <message>
        <source>Unarchive Chat</source>
        <translation>チャットのアーカイブを解除</translation>
    </message>
    <message>
        <source>Archive Chat</source>
        <translation>チャットをアーカイブ</translation>
    </message>
    <message>
        <source>Same as Current Chat</source>
        <translation>現在のチャットと同じ</translation>
    </message>
    <message>
        <source>This chat has no folders.</source>
        <translation>このチャットにはフォルダがありません。</translation>
    </message>
    <message>
        <source>Nothing found.</source>
        <translation>何も見つかりませんでした。</translation>
    </message>
    <message>
        <source>This folder is empty.</source>
        <translation>このフォルダは空です。</translation>
    </message>
    <message>
        <source>The code printed nothing.</source>
        <translation>コードは何も出力しませんでした。</translation>
    </message>
    <message numerus="yes">
        <source>%n byte written to {path}</source>
        <comment>%n bytes written to {path}</comment>
        <translation>
            <numerusform>{path}に%nバイトを書き込みました</numerusform>
        </translation>
    </message>
    <message>
        <source>Broadcast later messages too</source>
        <translation>この後のメッセージも一斉送信します</translation>
    </message>
    <message>
        <source>Enter chooses what the model gets, Delete removes the file</source>
        <translation>Enterでモデルに渡す内容を選択、Deleteでファイルを削除</translation>
    </message>
    <message>
        <source>“{name}” isn’t filled in yet. Press Enter again to send it anyway.</source>
        <translation>「{name}」がまだ入力されていません。もう一度Enterを押すと、このまま送信します。</translation>
    </message>
    <message>
        <source>Stretto backs up your chats once a day and before each update, and keeps the last three backups. When you restore one, your current chats are kept in a separate file.</source>
        <translation>Strettoは1日に1回とアップデートの前にチャットをバックアップし、最新の3つのバックアップを残します。復元しても、現在のチャットは別のファイルに残ります。</translation>
    </message>
    <message>
        <source>No backups yet. Stretto makes the first one the next day you use it.</source>
        <translation>バックアップはまだありません。次にStrettoを使った日に最初のものが作成されます。</translation>
    </message>
    <message>
        <source>Your chats are saved. The report contains versions and stack traces, none of your chats, and stays on this computer unless you share it.</source>
        <translation>チャットは保存されています。レポートに含まれるのはバージョンとスタックトレースで、チャットの内容は含まれません。自分で共有しない限り、このコンピュータの外には出ません。</translation>
    </message>
    <message>
        <source>Your chats were used by a newer version of Stretto</source>
        <translation>チャットは新しいバージョンのStrettoで使われていました</translation>
    </message>
    <message>
        <source>Stretto has no permission to write to {place}. Make it writable, then try again.</source>
        <translation>{place}に書き込む権限がありません。書き込み可能にしてから、もう一度お試しください。</translation>
    </message>
    <message>
        <source>Recover What Can Be Read</source>
        <translation>読み取れる内容を復旧</translation>
    </message>
    <message>
        <source>{cause} Changes that aren’t saved when you quit are lost.</source>
        <translation>{cause}終了すると、保存されていない変更は失われます。</translation>
    </message>
    <message>
        <source>Stretto is already running but not responding</source>
        <translation>Strettoはすでに起動していますが、応答していません</translation>
    </message>
    <message>
        <source>Another copy of Stretto has these chats open. Wait a moment and try again, or quit the other copy first.</source>
        <translation>別のStrettoのコピーがこのチャットを開いています。少し待ってからもう一度試すか、先にもう一方を終了してください。</translation>
    </message>
    <message>
        <source>Local chats side by side, all replying at the same time. What you write to local models stays on this computer.</source>
        <translation>ローカルチャットを並べて、すべてが同時に回答します。ローカルモデルに書いた内容は、このコンピュータの外に出ません。</translation>
    </message>
    <message>
        <source>Chats to export</source>
        <translation>書き出すチャット</translation>
    </message>
    <message>
        <source>Format</source>
        <comment>of what is exported</comment>
        <translation>形式</translation>
    </message>
    <message>
        <source>Include reasoning</source>
        <translation>思考を含める</translation>
    </message>
    <message>
        <source>Export progress</source>
        <translation>書き出しの進行状況</translation>
    </message>
    <message>
        <source>Always included in JSON</source>
        <translation>JSONには常に含まれます</translation>
    </message>
    <message>
        <source>Export to Folder</source>
        <translation>フォルダに書き出す</translation>
    </message>
    <message>
        <source>Import JSON from Stretto, data exports from ChatGPT and Claude (the ZIP archive or the conversations.json in it), exports from Open WebUI, and chat files from LM Studio. Chats you already have aren’t changed.</source>
        <translation>StrettoのJSON、ChatGPTとClaudeから書き出したデータ（ZIPアーカイブ、またはその中のconversations.json）、Open WebUIから書き出したデータ、LM Studioのチャットファイルを読み込めます。すでにあるチャットは変更されません。</translation>
    </message>
    <message>
        <source>Import progress</source>
        <translation>読み込みの進行状況</translation>
    </message>
    <message>
        <source>Not imported</source>
        <translation>読み込まれなかった項目</translation>
    </message>
    <message>
        <source>Such as LM Studio’s chats folder</source>
        <translation>LM Studioのチャットフォルダなど</translation>
    </message>
    <message>
        <source>Import Folder</source>
        <translation>フォルダを読み込む</translation>
    </message>
    <message>
        <source>Stretto is available under the MIT license. Qt, PySide6, and Qt Advanced Docking are used under the LGPL as separate libraries, which you may replace with your own builds.</source>
        <translation>StrettoはMITライセンスで提供されます。Qt、PySide6、Qt Advanced DockingはLGPLに基づく独立したライブラリとして使用しており、自分でビルドしたものに置き換えられます。</translation>
    </message>
    <message>
        <source>Components</source>
        <translation>コンポーネント</translation>
    </message>
    <message>
        <source>“{name}” already exists. Replace it?</source>
        <translation>「{name}」はすでにあります。置き換えますか？</translation>
    </message>
    <message>
        <source>Prompt text</source>
        <translation>プロンプトのテキスト</translation>
    </message>
    <message>
        <source>There’s no deleted prompt to restore</source>
        <translation>復元できる削除済みのプロンプトはありません</translation>
    </message>
    <message>
        <source>Another prompt has this name. This one is still called “{before}”.</source>
        <translation>同じ名前のプロンプトがあります。名前は「{before}」のままです。</translation>
    </message>
    <message numerus="yes">
        <source>Deleted chats stay here for %n day and are then deleted permanently.</source>
        <comment>Deleted chats stay here for %n days and are then deleted permanently.</comment>
        <translation>
            <numerusform>削除したチャットは%n日間ここに残り、その後完全に削除されます。</numerusform>
        </translation>
    </message>
    <message>
        <source>Damaged files that were set aside may still contain text of deleted chats: {files}</source>
        <translation>退避した破損ファイルに、削除したチャットのテキストが残っている可能性があります: {files}</translation>
    </message>
    <message>
        <source>Delete “{title}” permanently, from backups too? This can’t be undone.</source>
        <translation>「{title}」をバックアップからも完全に削除しますか？この操作は取り消せません。</translation>
    </message>
    <message numerus="yes">
        <source>Delete %Ln chat permanently, from backups too? This can’t be undone.</source>
        <comment>Delete %Ln chats permanently, from backups too? This can’t be undone.</comment>
        <translation>
            <numerusform>%Ln件のチャットをバックアップからも完全に削除しますか？この操作は取り消せません。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n day left</source>
        <comment>%n days left</comment>
        <translation>
            <numerusform>残り%n日</numerusform>
        </translation>
    </message>
    <message>
        <source>The download page lists what’s new.</source>
        <translation>新機能についてはダウンロードページをご覧ください。</translation>
    </message>
    <message>
        <source>What’s new</source>
        <translation>新機能</translation>
    </message>
    <message>
        <source>JSON schema</source>
        <translation>JSONスキーマ</translation>
    </message>
    <message>
        <source>List of choices</source>
        <translation>選択肢のリスト</translation>
    </message>
    <message>
        <source>Split a model that’s too large for one computer across several. Each needs the same version of Stretto, the model’s files, and SSH access without a password.</source>
        <translation>1台のコンピュータには大きすぎるモデルを、複数のコンピュータに分けて実行します。どのコンピュータにも、同じバージョンのStretto、モデルのファイル、パスワードなしのSSH接続が必要です。</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状態</translation>
    </message>
    <message>
        <source>user@host, or local</source>
        <translation>ユーザー@ホスト、またはlocal</translation>
    </message>
    <message>
        <source>Command, such as stretto</source>
        <translation>コマンド（例: stretto）</translation>
    </message>
    <message numerus="yes">
        <source>{weights}, group size %n</source>
        <comment>{weights}, group size %n</comment>
        <translation>
            <numerusform>{weights}、グループサイズ%n</numerusform>
        </translation>
    </message>
    <message>
        <source>{weights}, some layers differ</source>
        <translation>{weights}、一部の層は異なります</translation>
    </message>
    <message>
        <source>{name} hasn’t drafted any tokens yet.</source>
        <translation>{name}はまだトークンをドラフトしていません。</translation>
    </message>
    <message numerus="yes">
        <source>{name} has drafted %Ln token; {share} accepted.</source>
        <comment>{name} has drafted %Ln tokens; {share} accepted.</comment>
        <translation>
            <numerusform>{name}は%Lnトークンをドラフトし、うち{share}が採用されました。</numerusform>
        </translation>
    </message>
    <message>
        <source>Make It Fit…</source>
        <translation>収める方法を表示…</translation>
    </message>
    <message numerus="yes">
        <source>Pasted text attached as a file, %Ln character</source>
        <comment>Pasted text attached as a file, %Ln characters</comment>
        <translation>
            <numerusform>ペーストしたテキストをファイルとして添付しました、%Ln文字</numerusform>
        </translation>
    </message>
    <message>
        <source>Relevant Passages Only</source>
        <translation>関連する箇所のみ</translation>
    </message>
    <message>
        <source>Higher is more random. 0 always picks the most likely token.</source>
        <translation>高いほどランダムになり、0では常に最も確率の高いトークンを選びます</translation>
    </message>
    <message>
        <source>In tokens, including thinking</source>
        <translation>トークン数（思考を含む）</translation>
    </message>
    <message>
        <source>Only the most likely tokens, up to this total probability</source>
        <translation>確率の高いトークンだけを、合計確率がこの値になるまで</translation>
    </message>
    <message>
        <source>Only this many of the most likely tokens. 0 means all.</source>
        <translation>確率の高いトークンからこの数だけ。0ですべて</translation>
    </message>
    <message>
        <source>Only tokens at least this likely, relative to the first</source>
        <translation>1位に対する確率の割合がこの値以上のトークンだけ</translation>
    </message>
    <message>
        <source>Only tokens of typical probability, up to this total</source>
        <translation>典型的な確率のトークンだけを、合計がこの値になるまで</translation>
    </message>
    <message>
        <source>How often the most likely tokens are excluded</source>
        <translation>最も確率の高いトークンを除外する頻度</translation>
    </message>
    <message>
        <source>Excludes tokens at least this likely</source>
        <translation>確率がこの値以上のトークンを除外</translation>
    </message>
    <message>
        <source>Above 1, recent tokens become less likely</source>
        <translation>1より大きいと、最近のトークンが出にくくなります</translation>
    </message>
    <message>
        <source>Applied once to each recent token</source>
        <translation>最近のトークンごとに1回適用</translation>
    </message>
    <message>
        <source>Applied each time a token was used</source>
        <translation>トークンが使われた回数だけ適用</translation>
    </message>
    <message>
        <source>as JSON by schema</source>
        <translation>スキーマに沿ったJSON</translation>
    </message>
    <message>
        <source>from a list of choices</source>
        <translation>選択肢から</translation>
    </message>
    <message>
        <source>by pattern</source>
        <translation>パターンどおり</translation>
    </message>
    <message numerus="yes">
        <source>It would fit with the KV cache at %n bit.</source>
        <comment>It would fit with the KV cache at %n bits.</comment>
        <translation>
            <numerusform>KVキャッシュを%nビットにすれば収まります。</numerusform>
        </translation>
    </message>
    <message>
        <source>{count} cached</source>
        <comment>tokens</comment>
        <translation>キャッシュ{count}</translation>
    </message>
    <message>
        <source>identical</source>
        <translation>同一</translation>
    </message>
    <message>
        <source>not identical</source>
        <translation>同一ではない</translation>
    </message>
    <message>
        <source>{size} · Ready</source>
        <translation>{size} · 準備完了</translation>
    </message>
    <message>
        <source>Waiting for another download</source>
        <translation>ほかのダウンロードを待っています</translation>
    </message>
    <message>
        <source>Waiting for Hugging Face…</source>
        <translation>Hugging Faceの応答を待っています…</translation>
    </message>
    <message>
        <source>{tool} · Interrupted when Stretto quit</source>
        <translation>{tool} · Strettoの終了により中断しました</translation>
    </message>
    <message>
        <source>“{field}” looks like a secret. Servers must not ask for secrets in this way. Decline unless you know why.</source>
        <translation>「{field}」は秘密の情報のようです。サーバがこの方法で尋ねることは認められていません。理由がわからない場合は断ってください。</translation>
    </message>
    <message>
        <source>No keychain found. Stretto forgets this key when you quit.</source>
        <translation>キーチェーンが見つかりません。このキーは終了時に破棄されます。</translation>
    </message>
    <message numerus="yes">
        <source>%n model available.</source>
        <comment>%n models available.</comment>
        <translation>
            <numerusform>%n個のモデルを利用できます。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n replying · {rate} in total</source>
        <comment>%n replying · {rate} in total</comment>
        <translation>
            <numerusform>%n件が回答中 · 合計{rate}</numerusform>
        </translation>
    </message>
    <message>
        <source>Convert to a smaller copy</source>
        <translation>小さいコピーに変換</translation>
    </message>
    <message numerus="yes">
        <source>Use %n-bit KV cache for this chat</source>
        <comment>Use %n-bit KV cache for this chat</comment>
        <translation>
            <numerusform>このチャットのKVキャッシュを%nビットで保持</numerusform>
        </translation>
    </message>
    <message>
        <source>Needs {size}. Slightly less accurate.</source>
        <translation>必要なメモリは{size}です。精度がわずかに下がります。</translation>
    </message>
    <message numerus="yes">
        <source>Limit this chat to %Ln token</source>
        <comment>Limit this chat to %Ln tokens</comment>
        <translation>
            <numerusform>このチャットを%Lnトークンまでに制限</numerusform>
        </translation>
    </message>
    <message>
        <source>Needs {size}. You can change this in the chat’s settings.</source>
        <translation>必要なメモリは{size}です。チャットの設定で変更できます。</translation>
    </message>
    <message>
        <source>Needs {size}. Longer chats may run out of memory.</source>
        <translation>必要なメモリは{size}です。これより長いチャットではメモリが足りないことがあります。</translation>
    </message>
    <message>
        <source>Its weights need {size}. Already on this computer.</source>
        <translation>重みに{size}が必要です。すでにこのコンピュータにあります。</translation>
    </message>
    <message>
        <source>Find a smaller model…</source>
        <translation>より小さいモデルを探す…</translation>
    </message>
    <message>
        <source>Searches Hugging Face.</source>
        <translation>Hugging Faceの検索を開きます。</translation>
    </message>
    <message>
        <source>Its weights fit. Chats may run out of memory.</source>
        <translation>重みは収まります。チャット用のメモリが足りないことがあります。</translation>
    </message>
    <message>
        <source>Load anyway</source>
        <translation>このままロード</translation>
    </message>
    <message>
        <source>Frees {size}. It loads again when you send.</source>
        <translation>{size}が空きます。送信すると再びロードされます。</translation>
    </message>
    <message>
        <source>Frees {size}. They load again when you send.</source>
        <translation>{size}が空きます。送信すると再びロードされます。</translation>
    </message>
    <message>
        <source>{name} stays loaded. {why}</source>
        <translation>{name}はロードされたままです。{why}</translation>
    </message>
    <message>
        <source>Tokens per chat</source>
        <translation>各チャットのトークン数</translation>
    </message>
    <message>
        <source>For {chats} of {tokens}</source>
        <translation>{chats}（各{tokens}）の場合</translation>
    </message>
    <message>
        <source>Sent only to Hugging Face. Stored in your keychain once accepted.</source>
        <translation>Hugging Faceにだけ送信し、受け付けられるとキーチェーンに保存します。</translation>
    </message>
    <message>
        <source>No keychain found. Stretto forgets this token when you quit.</source>
        <translation>キーチェーンが見つかりません。このトークンは終了時に破棄されます。</translation>
    </message>
    <message>
        <source>Blocked because this link attaches a file to an email.</source>
        <translation>このリンクはメールにファイルを添付するため、ブロックしました。</translation>
    </message>
    <message>
        <source>Write an email to this address outside Stretto?</source>
        <translation>Strettoの外でこのアドレス宛てのメールを書きますか？</translation>
    </message>
    <message>
        <source>It leads to {place}, not to the text before the “@”:</source>
        <translation>リンク先は「@」の前の部分ではなく{place}です:</translation>
    </message>
    <message>
        <source>Its message: “{words}”</source>
        <translation>メッセージ:「{words}」</translation>
    </message>
    <message>
        <source>The chat doesn’t fit in the context of {model}.</source>
        <translation>チャットが{model}のコンテキストに収まりません。</translation>
    </message>
    <message>
        <source>{host} doesn’t support choices or patterns as a reply format. Choose another under “Reply format” in the chat’s settings, such as JSON.</source>
        <translation>{host}は、選択肢やパターンによる回答の形式に対応していません。チャットの設定の「回答の形式」で、JSONなど別の形式を選択してください。</translation>
    </message>
    <message>
        <source>No misspelled words found.</source>
        <translation>スペルミスは見つかりませんでした。</translation>
    </message>
    <message>
        <source>{word} isn’t in the dictionary.</source>
        <translation>「{word}」は辞書にありません。</translation>
    </message>
    <message>
        <source>Suggestions took too long</source>
        <translation>候補を時間内に取得できませんでした</translation>
    </message>
    <message>
        <source>Code, hard questions, room for more chats</source>
        <translation>コード、難しい質問、複数のチャット向け</translation>
    </message>
    <message>
        <source>Nothing found yet. Start the other Stretto with “serve --announce”.</source>
        <translation>まだ見つかりません。相手のStrettoを「serve --announce」で起動してください。</translation>
    </message>
    <message>
        <source>Leave out oldest messages when context is full</source>
        <translation>コンテキストがいっぱいになったら古いメッセージから除外</translation>
    </message>
    <message>
        <source>Copy code for OpenAI’s library</source>
        <translation>OpenAIライブラリ用のコードをコピー</translation>
    </message>
    <message>
        <source>Stopped</source>
        <comment>a server</comment>
        <translation>停止中</translation>
    </message>
    <message>
        <source>The file has changed since the changes were shown.</source>
        <translation>変更内容の表示後にファイルが変更されました。</translation>
    </message>
    <message>
        <source>“{path}” isn’t an absolute path.</source>
        <translation>「{path}」は絶対パスではありません。</translation>
    </message>
    <message>
        <source>Only numbers, + - * / // % **, brackets, and common functions are supported.</source>
        <translation>使えるのは数値、+ - * / // % **、括弧、一般的な関数だけです。</translation>
    </message>
    <message>
        <source>Tools in this chat can change files in it. You see each change first.  W</source>
        <translation>このチャットのツールがフォルダ内のファイルを変更できます。変更は事前に確認できます。  W</translation>
    </message>
    <message>
        <source>Run every waiting call in this chat  A</source>
        <translation>このチャットで待機中の呼び出しをすべて実行  A</translation>
    </message>
    <message>
        <source>Run none of the waiting calls</source>
        <translation>待機中の呼び出しを実行しない</translation>
    </message>
    <message>
        <source>Stop this call</source>
        <translation>この呼び出しを停止</translation>
    </message>
    <message>
        <source>Stop this call and run it again</source>
        <translation>この呼び出しを停止してやり直す</translation>
    </message>
    <message>
        <source>Tools in this chat can list, search, and read files in it</source>
        <translation>このチャットのツールがフォルダ内のファイルを一覧表示、検索、読み取りできます</translation>
    </message>
    <message numerus="yes">
        <source>These tools add %Ln token to each prompt.</source>
        <comment>These tools add %Ln tokens to each prompt.</comment>
        <translation>
            <numerusform>これらのツールは毎回のプロンプトに%Lnトークンを加えます。</numerusform>
        </translation>
    </message>
    <message>
        <source>Not started</source>
        <comment>a server</comment>
        <translation>未起動</translation>
    </message>
    <message>
        <source>Starting…</source>
        <comment>a server</comment>
        <translation>起動中…</translation>
    </message>
    <message>
        <source>Running</source>
        <comment>a server</comment>
        <translation>実行中</translation>
    </message>
    <message>
        <source>New or changed. Starts when a chat needs it:</source>
        <translation>新規または変更。チャットで必要になると起動します:</translation>
    </message>
    <message>
        <source>Add a folder that contains models</source>
        <translation>モデルを含むフォルダを追加</translation>
    </message>
    <message>
        <source>No models yet. Get one from Hugging Face, or add a folder of models.</source>
        <translation>モデルはまだありません。Hugging Faceから入手するか、モデルのあるフォルダを追加してください。</translation>
    </message>
    <message>
        <source>Search Hugging Face, or paste a model name or link</source>
        <translation>Hugging Faceを検索、またはモデル名やリンクを貼り付け</translation>
    </message>
    <message>
        <source>This model already has an adapter</source>
        <translation>このモデルにはすでにアダプタがあります</translation>
    </message>
    <message>
        <source>Lists the model a second time, with a LoRA or DoRA adapter</source>
        <translation>LoRAまたはDoRAアダプタ付きのモデルとしても一覧に追加します</translation>
    </message>
    <message>
        <source>Enter part of a model’s name first</source>
        <translation>先にモデル名の一部を入力してください</translation>
    </message>
    <message>
        <source>Stopped</source>
        <comment>a reply</comment>
        <translation>停止しました</translation>
    </message>
    <message>
        <source>It runs on {hosts} and hasn’t been started.</source>
        <translation>{hosts}で動作しますが、起動していません。</translation>
    </message>
    <message>
        <source>Looking for changes…</source>
        <translation>変更を確認中…</translation>
    </message>
    <message>
        <source>Leave Out Oldest Messages</source>
        <translation>古いメッセージから除外</translation>
    </message>
    <message>
        <source>Interrupted when Stretto quit</source>
        <comment>a reply</comment>
        <translation>Strettoの終了により中断</translation>
    </message>
    <message>
        <source>Opens the model’s page on Hugging Face</source>
        <translation>Hugging Faceでモデルのページを開きます</translation>
    </message>
    <message>
        <source>{context}. Nearly full. Start a new chat, or leave out the oldest messages.</source>
        <translation>{context}。残りわずかです。新しいチャットを始めるか、古いメッセージを除外してください。</translation>
    </message>
    <message>
        <source>This chat now leaves out its oldest messages</source>
        <translation>このチャットでは古いメッセージから除外されるようになりました</translation>
    </message>
    <message>
        <source>As Much as Fits</source>
        <translation>先頭から収まるだけ</translation>
    </message>
    <message>
        <source>Search Chats for “{words}”</source>
        <translation>チャットで「{words}」を検索</translation>
    </message>
    <message>
        <source>Use with a coding agent</source>
        <translation>コーディングエージェントで使う</translation>
    </message>
    <message>
        <source>Model aliases</source>
        <translation>モデルのエイリアス</translation>
    </message>
    <message>
        <source>Cached context of clients</source>
        <translation>クライアントのコンテキストキャッシュ</translation>
    </message>
    <message>
        <source>launch, Claude Code, Codex, terminal</source>
        <translation>起動、Claude Code、Codex、ターミナル</translation>
    </message>
    <message>
        <source>Clear the cached context of clients</source>
        <translation>クライアントのコンテキストキャッシュを消去</translation>
    </message>
    <message>
        <source>Lets them resume right away after a restart</source>
        <translation>再起動後すぐに再開できます</translation>
    </message>
    <message>
        <source>Open Terminal…</source>
        <translation>ターミナルを開く…</translation>
    </message>
    <message>
        <source>{names} and others</source>
        <translation>{names}など</translation>
    </message>
    <message>
        <source>Use with Agent</source>
        <translation>エージェントで使う</translation>
    </message>
    <message>
        <source>Choose project folder</source>
        <translation>プロジェクトフォルダを選択</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>エージェント</translation>
    </message>
    <message>
        <source>Project folder</source>
        <translation>プロジェクトフォルダ</translation>
    </message>
    <message>
        <source>The agent’s own settings stay as they are. Stretto creates a key if it needs one. If it isn’t installed, the terminal shows how to install it.</source>
        <translation>エージェント自身の設定は変更されません。キーが必要な場合は専用に作成されます。未インストールの場合は、ターミナルにインストール方法が表示されます。</translation>
    </message>
    <message>
        <source>Copy Command</source>
        <translation>コマンドをコピー</translation>
    </message>
    <message>
        <source>Open in Terminal</source>
        <translation>ターミナルで開く</translation>
    </message>
    <message>
        <source>Choose Project Folder</source>
        <translation>プロジェクトフォルダを選択</translation>
    </message>
    <message>
        <source>No terminal was found. Copy the command into yours.</source>
        <translation>ターミナルが見つかりませんでした。コマンドをコピーしてお使いのターミナルに貼り付けてください。</translation>
    </message>
    <message>
        <source>The terminal couldn’t be opened: {error}.</source>
        <translation>ターミナルを開けませんでした：{error}。</translation>
    </message>
    <message>
        <source>prompt lookup</source>
        <translation>プロンプト参照</translation>
    </message>
    <message>
        <source>Prompt lookup</source>
        <translation>プロンプト参照</translation>
    </message>
    <message>
        <source>A smaller model with the same tokenizer can speed up a chat that replies alone. Prompt lookup needs no model. It helps when the reply repeats text or code from the chat with changes. Replies stay the same.</source>
        <translation>同じトークナイザを使う小さいモデルは、単独で回答するチャットを速くできます。プロンプト参照にはモデルが不要で、チャット内の文章やコードを変更を加えて書き直すときに役立ちます。回答の内容は変わりません。</translation>
    </message>
    <message>
        <source>{name} no longer uses prompt lookup.</source>
        <translation>{name}はプロンプト参照を使わなくなりました。</translation>
    </message>
    <message>
        <source>{name} uses prompt lookup.</source>
        <translation>{name}はプロンプト参照を使います。</translation>
    </message>
    <message>
        <source>{name} uses prompt lookup once loaded.</source>
        <translation>{name}はロードされるとプロンプト参照を使います。</translation>
    </message>
    <message>
        <source>Share of compute when several clients are active</source>
        <translation>複数のクライアントが動作中のときの計算時間の配分</translation>
    </message>
    <message>
        <source>The message alone is too long for the model’s context.</source>
        <translation>このメッセージだけでモデルのコンテキストを超えています。</translation>
    </message>
    <message>
        <source>Use {model}</source>
        <translation>{model}を使用</translation>
    </message>
    <message>
        <source>images</source>
        <comment>after another word</comment>
        <translation>画像</translation>
    </message>
    <message>
        <source>{model} can’t see images. Remove them, or choose a model that can.</source>
        <translation>{model}は画像を認識できません。画像を削除するか、認識できるモデルを選択してください。</translation>
    </message>
    <message>
        <source>Pasted image</source>
        <translation>ペーストした画像</translation>
    </message>
    <message>
        <source>The image is no longer available.</source>
        <translation>この画像はもうありません。</translation>
    </message>
    <message>
        <source>The model can’t see images.</source>
        <translation>このモデルは画像を認識できません。</translation>
    </message>
    <message>
        <source>Supports images</source>
        <translation>画像に対応</translation>
    </message>
    <message>
        <source>Images in your messages are sent to this model</source>
        <translation>メッセージ内の画像をこのモデルに送信します</translation>
    </message>
    <message>
        <source>Image {name}, {about}</source>
        <translation>画像{name}、{about}</translation>
    </message>
    <message>
        <source>Enter shows the image, Delete removes it</source>
        <translation>Enterで画像を表示、Deleteで削除</translation>
    </message>
    <message>
        <source>Broadcast is on. To include a remote chat, press {keys} in it.</source>
        <translation>一斉送信はオンです。リモートのチャットを含めるには、そのチャットで{keys}を押してください。</translation>
    </message>
    <message>
        <source>The connection to {host} was lost before the reply ended.</source>
        <translation>回答の途中で{host}との接続が切れました。</translation>
    </message>
    <message>
        <source>{host} couldn’t finish the reply.</source>
        <translation>{host}は回答を最後まで続けられませんでした。</translation>
    </message>
    <message>
        <source>Send now, interrupting the reply</source>
        <translation>回答を中断してすぐ送信</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Ctrl+Enter</translation>
    </message>
    <message>
        <source>Editing your message</source>
        <translation>メッセージを編集中</translation>
    </message>
    <message>
        <source>No app here opens PDFs. Export the chat as PDF instead.</source>
        <translation>PDFを開けるアプリがありません。代わりにチャットをPDFで書き出してください。</translation>
    </message>
    <message>
        <source>Branch: {title}</source>
        <translation>分岐：{title}</translation>
    </message>
    <message>
        <source>Branch {number}: {title}</source>
        <translation>分岐{number}：{title}</translation>
    </message>
    <message>
        <source>{model} can’t hear recordings. Remove them, or choose a model that can.</source>
        <translation>{model}は録音を聞き取れません。録音を削除するか、聞き取れるモデルを選択してください。</translation>
    </message>
    <message>
        <source>The model can’t hear recordings.</source>
        <translation>このモデルは録音を聞き取れません。</translation>
    </message>
    <message>
        <source>Beginning of the chat</source>
        <translation>チャットの始まり</translation>
    </message>
    <message>
        <source>shown</source>
        <comment>of a branch</comment>
        <translation>表示中</translation>
    </message>
    <message numerus="yes">
        <source>%Ln branch</source>
        <comment>%Ln branches</comment>
        <translation>
            <numerusform>%Ln件の分岐</numerusform>
        </translation>
    </message>
    <message>
        <source>Name of the branch</source>
        <translation>分岐の名前</translation>
    </message>
    <message>
        <source>Branches</source>
        <translation>分岐</translation>
    </message>
    <message>
        <source>Show This Branch  Enter</source>
        <translation>この分岐を表示  Enter</translation>
    </message>
    <message>
        <source>Name Branch  F2</source>
        <translation>分岐に名前を付ける  F2</translation>
    </message>
    <message>
        <source>Compare Branches  Shift+Enter</source>
        <translation>分岐を比較  Shift+Enter</translation>
    </message>
    <message>
        <source>Messages One by One  Shift+Right</source>
        <translation>メッセージを1つずつ表示  Shift+Right</translation>
    </message>
    <message>
        <source>Delete Branch  Del</source>
        <translation>分岐を削除  Del</translation>
    </message>
    <message>
        <source>Choose a branch below it.</source>
        <translation>この下の分岐を選択してください。</translation>
    </message>
    <message>
        <source>This branch is shown already. Choose another, or two to compare.</source>
        <translation>この分岐は表示中です。別の分岐を1つ、または比較する2つを選択してください。</translation>
    </message>
    <message numerus="yes">
        <source>… %Ln more message</source>
        <comment>… %Ln more messages</comment>
        <translation>
            <numerusform>… ほか%Ln件のメッセージ</numerusform>
        </translation>
    </message>
    <message>
        <source>Compare Branches</source>
        <translation>分岐を比較</translation>
    </message>
    <message>
        <source>Both continue from “{words}”</source>
        <translation>どちらも「{words}」の続き</translation>
    </message>
    <message>
        <source>Shown branch</source>
        <translation>表示中の分岐</translation>
    </message>
    <message>
        <source>Other branch</source>
        <translation>別の分岐</translation>
    </message>
    <message>
        <source>Show This Branch</source>
        <translation>この分岐を表示</translation>
    </message>
    <message>
        <source>Hide Branches</source>
        <translation>分岐を隠す</translation>
    </message>
    <message>
        <source>Show Branches</source>
        <translation>分岐を表示</translation>
    </message>
    <message>
        <source>Optimist</source>
        <translation>楽観派</translation>
    </message>
    <message>
        <source>Answer as an optimist. Make the case for it.</source>
        <translation>楽観的な立場で答え、賛成の理由を挙げてください。</translation>
    </message>
    <message>
        <source>Skeptic</source>
        <translation>懐疑派</translation>
    </message>
    <message>
        <source>Answer as a skeptic. Say what could go wrong.</source>
        <translation>懐疑的な立場で答え、うまくいかない可能性を挙げてください。</translation>
    </message>
    <message>
        <source>Engineer</source>
        <translation>エンジニア</translation>
    </message>
    <message>
        <source>Answer as an engineer. Explain how you’d build it.</source>
        <translation>エンジニアの立場で答え、どう実現するかを説明してください。</translation>
    </message>
    <message>
        <source>Judged by {model}</source>
        <translation>{model}による評価</translation>
    </message>
    <message>
        <source>Merged by {model}</source>
        <translation>{model}による統合</translation>
    </message>
    <message>
        <source>Vote</source>
        <translation>投票</translation>
    </message>
    <message>
        <source>The comparison is still running.</source>
        <translation>比較はまだ進行中です。</translation>
    </message>
    <message>
        <source>Needs at least two replies.</source>
        <translation>応答が 2 つ以上必要です。</translation>
    </message>
    <message>
        <source>Models can misjudge. Check what matters.</source>
        <translation>モデルの判断は誤ることがあります。大事な点は確認してください。</translation>
    </message>
    <message>
        <source>A reply was cut off and can’t be counted.</source>
        <translation>途中で切れた応答があり、集計できません。</translation>
    </message>
    <message>
        <source>Only numbers, short choices, and JSON can be counted.</source>
        <translation>集計できるのは数値、短い選択肢、JSONだけです。</translation>
    </message>
    <message>
        <source>All {total} say {value}.</source>
        <translation>{total} つすべてが {value} と答えています。</translation>
    </message>
    <message>
        <source>No reply has more votes than the others.</source>
        <translation>ほかより票の多い応答はありません。</translation>
    </message>
    <message>
        <source>{most} of {total} say {value}.</source>
        <translation>{total} 中 {most} が {value} と答えています。</translation>
    </message>
    <message>
        <source>No reply: {names}</source>
        <translation>応答なし: {names}</translation>
    </message>
    <message>
        <source>Agreeing doesn’t make it correct.</source>
        <translation>一致は正しさを意味しません。</translation>
    </message>
    <message>
        <source>This chat’s model</source>
        <translation>このチャットのモデル</translation>
    </message>
    <message>
        <source>As in chat</source>
        <comment>a temperature</comment>
        <translation>チャットと同じ</translation>
    </message>
    <message>
        <source>Random</source>
        <comment>a seed</comment>
        <translation>ランダム</translation>
    </message>
    <message>
        <source>Instructions for this member</source>
        <translation>このメンバーへの指示</translation>
    </message>
    <message>
        <source>Remove Member</source>
        <translation>メンバーを取り除く</translation>
    </message>
    <message>
        <source>Name of member {number}</source>
        <translation>メンバー {number} の名前</translation>
    </message>
    <message>
        <source>Model of member {number}</source>
        <translation>メンバー {number} のモデル</translation>
    </message>
    <message>
        <source>Temperature of member {number}</source>
        <translation>メンバー {number} の温度</translation>
    </message>
    <message>
        <source>Seed of member {number}</source>
        <translation>メンバー {number} のシード</translation>
    </message>
    <message>
        <source>Instructions of member {number}</source>
        <translation>メンバー {number} への指示</translation>
    </message>
    <message>
        <source>Remove member {number}</source>
        <translation>メンバー {number} を取り除く</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>比較</translation>
    </message>
    <message>
        <source>Save As…</source>
        <translation>別名で保存…</translation>
    </message>
    <message>
        <source>Add Member</source>
        <translation>メンバーを追加</translation>
    </message>
    <message>
        <source>Compare at least two members.</source>
        <translation>2 人以上のメンバーを比較してください。</translation>
    </message>
    <message>
        <source>You can compare up to {most} members.</source>
        <translation>比較できるメンバーは最大 {most} 人です。</translation>
    </message>
    <message>
        <source>Last comparison</source>
        <translation>前回の比較</translation>
    </message>
    <message>
        <source>Save Comparison</source>
        <translation>比較を保存</translation>
    </message>
    <message>
        <source>Rename Comparison</source>
        <translation>比較の名称を変更</translation>
    </message>
    <message>
        <source>Go to one of the columns first.</source>
        <translation>先に列を選んでください。</translation>
    </message>
    <message>
        <source>This reply came from a comparison. Open the comparison to regenerate it.</source>
        <translation>この回答は比較から作られました。比較を開いて再生成してください。</translation>
    </message>
    <message>
        <source>Finish editing the message first.</source>
        <translation>先にメッセージの編集を終えてください。</translation>
    </message>
    <message>
        <source>The columns of this comparison aren’t in this chat.</source>
        <translation>この比較の列はこのチャットにありません。</translation>
    </message>
    <message>
        <source>Show Comparison: {names}</source>
        <translation>比較を表示: {names}</translation>
    </message>
    <message>
        <source>Show Comparison</source>
        <translation>比較を表示</translation>
    </message>
    <message>
        <source>Judge</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>A model compares the replies in both orders</source>
        <translation>モデルが応答を両方の順で比較します</translation>
    </message>
    <message>
        <source>Merge</source>
        <translation>統合</translation>
    </message>
    <message>
        <source>Combines the replies and cites where each part came from</source>
        <translation>回答をまとめ、各部分の出所を示します</translation>
    </message>
    <message>
        <source>Count Votes</source>
        <translation>票を集計</translation>
    </message>
    <message>
        <source>Counts replies that are numbers, choices, or JSON</source>
        <translation>数値、選択肢、JSON の応答を集計します</translation>
    </message>
    <message>
        <source>Continue from this reply. The others are kept as versions.</source>
        <translation>この回答から続けます。ほかはバージョンとして残ります。</translation>
    </message>
    <message>
        <source>Keep {name}</source>
        <translation>{name} を残す</translation>
    </message>
    <message>
        <source>Hide Comparison  Esc</source>
        <translation>比較を隠す  Esc</translation>
    </message>
    <message>
        <source>All members have replied</source>
        <translation>全員が回答しました</translation>
    </message>
    <message>
        <source>Compare with Same Members</source>
        <translation>同じメンバーで比較</translation>
    </message>
    <message>
        <source>Show/Hide Comparison</source>
        <translation>比較の表示/非表示</translation>
    </message>
    <message>
        <source>Judge Compared Replies</source>
        <translation>比較中の回答を判定</translation>
    </message>
    <message>
        <source>Merge Compared Replies</source>
        <translation>比較中の回答を統合</translation>
    </message>
    <message>
        <source>Count Votes of Compared Replies</source>
        <translation>比較中の回答の票を集計</translation>
    </message>
    <message>
        <source>This chat is no longer there.</source>
        <translation>このチャットはもうありません。</translation>
    </message>
    <message>
        <source>chat</source>
        <comment>a kind of file</comment>
        <translation>チャット</translation>
    </message>
    <message numerus="yes">
        <source>message {numbers}</source>
        <comment>messages {numbers}</comment>
        <translation>
            <numerusform>メッセージ{numbers}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{count} new message</source>
        <comment>{count} new messages</comment>
        <translation>
            <numerusform>新着メッセージ{count}件</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>changed, {count} message</source>
        <comment>changed, {count} messages</comment>
        <translation>
            <numerusform>変更あり、メッセージ{count}件</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>last message</source>
        <comment>last {count} messages</comment>
        <translation>
            <numerusform>最後のメッセージ{count}件</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>whole, {count} message</source>
        <comment>whole, {count} messages</comment>
        <translation>
            <numerusform>全体、メッセージ{count}件</numerusform>
        </translation>
    </message>
    <message>
        <source>Read another chat</source>
        <translation>別のチャットを読む</translation>
    </message>
    <message>
        <source>@, in the message</source>
        <translation>@（メッセージの中）</translation>
    </message>
    <message>
        <source>Message {number}</source>
        <translation>メッセージ{number}</translation>
    </message>
    <message>
        <source>Enter opens the chat, Right shows the text sent to the model</source>
        <translation>Enterでチャットを開く、右矢印でモデルに送ったテキストを表示</translation>
    </message>
    <message>
        <source>Chat {name}, {about}</source>
        <translation>チャット{name}、{about}</translation>
    </message>
    <message>
        <source>Enter opens the menu, Delete ends following the chat</source>
        <translation>Enterでメニューを表示、Deleteでチャットのフォローをやめる</translation>
    </message>
    <message>
        <source>Open Chat</source>
        <translation>チャットを開く</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>フォロー</translation>
    </message>
    <message>
        <source>no longer there</source>
        <comment>a chat</comment>
        <translation>もうありません</translation>
    </message>
    <message>
        <source>in the Trash</source>
        <comment>a chat</comment>
        <translation>ゴミ箱内</translation>
    </message>
    <message>
        <source>Deleted chat</source>
        <translation>削除されたチャット</translation>
    </message>
    <message>
        <source>too long</source>
        <comment>a chat</comment>
        <translation>長すぎます</translation>
    </message>
    <message>
        <source>Read Another Chat</source>
        <translation>別のチャットを読む</translation>
    </message>
    <message numerus="yes">
        <source>Whole chat, %Ln message</source>
        <comment>Whole chat, %Ln messages</comment>
        <translation>
            <numerusform>チャット全体、メッセージ%Ln件</numerusform>
        </translation>
    </message>
    <message>
        <source>Last messages:</source>
        <translation>最後のメッセージ：</translation>
    </message>
    <message>
        <source>Number of messages</source>
        <translation>メッセージの数</translation>
    </message>
    <message>
        <source>Include new messages from this chat as they arrive</source>
        <translation>このチャットの新しいメッセージも順次含める</translation>
    </message>
    <message>
        <source>Reasoning, tool calls, and the text of files are left out.</source>
        <translation>推論、ツール呼び出し、ファイルのテキストは含まれません。</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>読む</translation>
    </message>
    <message>
        <source>There’s no other chat.</source>
        <translation>ほかのチャットはありません。</translation>
    </message>
    <message>
        <source>Read Another Chat…</source>
        <translation>別のチャットを読む…</translation>
    </message>
    <message>
        <source>Search chats to read</source>
        <translation>読むチャットを検索</translation>
    </message>
    <message>
        <source>A chat follows at most {most} others.</source>
        <translation>1つのチャットがフォローできるのは{most}個までです。</translation>
    </message>
    <message>
        <source>Keep compared reply</source>
        <translation>比較中の回答を残す</translation>
    </message>
    <message>
        <source>Enter, on a column</source>
        <translation>Enter（列上）</translation>
    </message>
    <message>
        <source>Previous or next column</source>
        <translation>前/次の列</translation>
    </message>
    <message>
        <source>Left or Right, on a column</source>
        <translation>←または→（列上）</translation>
    </message>
    <message>
        <source>Show branch</source>
        <translation>分岐を表示</translation>
    </message>
    <message>
        <source>Enter, in the branches</source>
        <translation>Enter（分岐内）</translation>
    </message>
    <message>
        <source>Name branch</source>
        <translation>分岐に名前を付ける</translation>
    </message>
    <message>
        <source>F2, in the branches</source>
        <translation>F2（分岐内）</translation>
    </message>
    <message>
        <source>Compare branches</source>
        <translation>分岐を比較</translation>
    </message>
    <message>
        <source>Shift+Enter, in the branches</source>
        <translation>Shift+Enter（分岐内）</translation>
    </message>
    <message>
        <source>Show messages of a branch one by one</source>
        <translation>分岐のメッセージを1つずつ表示</translation>
    </message>
    <message>
        <source>Shift+Right, in the branches</source>
        <translation>Shift+→（分岐内）</translation>
    </message>
    <message>
        <source>Delete branch</source>
        <translation>分岐を削除</translation>
    </message>
    <message>
        <source>Delete, in the branches</source>
        <translation>Delete（分岐内）</translation>
    </message>
    <message>
        <source>Ask Helpers</source>
        <translation>ヘルパーに質問</translation>
    </message>
    <message>
        <source>Answers up to 8 questions at the same time with the same model.</source>
        <translation>同じモデルで最大8つの質問に同時に答えます。</translation>
    </message>
    <message>
        <source>Ask helpers these questions?</source>
        <translation>ヘルパーにこれらの質問をしますか?</translation>
    </message>
    <message>
        <source>Only the question</source>
        <translation>質問のみ</translation>
    </message>
    <message>
        <source>This chat so far</source>
        <translation>ここまでのこのチャット</translation>
    </message>
    <message>
        <source>“{name}” must be a list of 1 to {most} texts.</source>
        <translation>「{name}」は1〜{most}個のテキストのリストでなければなりません。</translation>
    </message>
    <message>
        <source>“{name}” must be “fresh” or “fork”.</source>
        <translation>「{name}」は「fresh」か「fork」でなければなりません。</translation>
    </message>
    <message numerus="yes">
        <source>%n helper</source>
        <comment>%n helpers</comment>
        <translation>
            <numerusform>ヘルパー%n件</numerusform>
        </translation>
    </message>
    <message>
        <source>Tokens for each helper</source>
        <translation>ヘルパーごとのトークン数</translation>
    </message>
    <message>
        <source>Seconds for all helpers</source>
        <translation>すべてのヘルパーの合計秒数</translation>
    </message>
    <message>
        <source>Helpers at once</source>
        <translation>同時に答えるヘルパーの数</translation>
    </message>
    <message>
        <source>The model was unloaded.</source>
        <translation>モデルがアンロードされました。</translation>
    </message>
    <message>
        <source>It tried to use a tool.</source>
        <translation>ツールを使おうとしました。</translation>
    </message>
    <message>
        <source>Memory is full.</source>
        <translation>メモリがいっぱいです。</translation>
    </message>
    <message>
        <source>Waiting</source>
        <comment>a helper</comment>
        <translation>待機中</translation>
    </message>
    <message>
        <source>Reading</source>
        <comment>a helper</comment>
        <translation>読み取り中</translation>
    </message>
    <message>
        <source>Thinking</source>
        <comment>a helper</comment>
        <translation>思考中</translation>
    </message>
    <message>
        <source>Writing</source>
        <comment>a helper</comment>
        <translation>入力中</translation>
    </message>
    <message>
        <source>Done</source>
        <comment>a helper</comment>
        <translation>完了</translation>
    </message>
    <message>
        <source>Stopped</source>
        <comment>a helper</comment>
        <translation>停止</translation>
    </message>
    <message>
        <source>Out of tokens</source>
        <comment>a helper</comment>
        <translation>トークン切れ</translation>
    </message>
    <message>
        <source>Out of time</source>
        <comment>a helper</comment>
        <translation>時間切れ</translation>
    </message>
    <message>
        <source>Failed</source>
        <comment>a helper</comment>
        <translation>失敗</translation>
    </message>
    <message>
        <source>Stop this helper</source>
        <translation>このヘルパーを停止</translation>
    </message>
    <message>
        <source>Helper {number} of {count}, {state}</source>
        <translation>ヘルパー {number}/{count}、{state}</translation>
    </message>
    <message numerus="yes">
        <source>Asking %n helper</source>
        <comment>Asking %n helpers</comment>
        <translation>
            <numerusform>ヘルパー%n件に質問中</numerusform>
        </translation>
    </message>
    <message>
        <source>From Help, because the Guide can get this wrong.</source>
        <translation>ヘルプからの回答です。Guideはこれについて間違えることがあります。</translation>
    </message>
    <message>
        <source>Stretto no longer has comparison tables. Yours is saved as CSV and JSON in {folder}.</source>
        <translation>Strettoの比較表はなくなりました。これまでの表はCSVとJSONで{folder}に保存してあります。</translation>
    </message>
    <message>
        <source>Chat Settings (changed)</source>
        <translation>チャットの設定（変更あり）</translation>
    </message>
    <message>
        <source>Copy Message</source>
        <translation>メッセージをコピー</translation>
    </message>
    <message>
        <source>Provider</source>
        <translation>プロバイダ</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>その他</translation>
    </message>
    <message>
        <source>Add Server…</source>
        <translation>サーバを追加…</translation>
    </message>
    <message>
        <source>Add Server</source>
        <translation>サーバを追加</translation>
    </message>
    <message>
        <source>Command or address</source>
        <translation>コマンドまたはアドレス</translation>
    </message>
    <message>
        <source>Enter a name, and a command or an address.</source>
        <translation>名前と、コマンドまたはアドレスを入力してください。</translation>
    </message>
</context>
</TS>
