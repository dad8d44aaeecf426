"""Linear notation for formulas from Word, PowerPoint and web pages: ``x=(-b±√(b^2-4ac))/2a``."""

from __future__ import annotations

import re
from typing import Any

from engine.text.document_base import MAX_DEPTH, TOO_DEEP, UnreadableError

_REMOVED = {"del", "moveFrom", "delText", "instrText"}
_ATOM = re.compile(r"\w|\d+(?:[.,]\d+)?|[^\W\d_][\u0300-\u036f]+")
_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}


def is_formula(element: Any) -> bool:
    return str(element.tag).endswith(("/math}oMath", "/math}oMathPara"))


def linearize(element: Any, depth: int = 0) -> str:
    if depth > MAX_DEPTH:
        raise UnreadableError(TOO_DEEP)
    name = _name(element)
    if name == "oMathPara":
        return "\n".join(linearize(e, depth + 1) for e in element if _name(e) == "oMath")
    if name == "t":
        return element.text or ""
    if name.endswith("Pr") or name in _REMOVED:
        return ""
    if name == "br":
        return "\n"

    def part(child: str) -> str:
        return "".join(linearize(e, depth + 1) for e in element if _name(e) == child)

    def parts(child: str) -> list[str]:
        return [linearize(e, depth + 1) for e in element if _name(e) == child]

    match name:
        case "f":
            line = "¦" if _value(element, "type") == "noBar" else "/"
            return f"{_group(part('num'))}{line}{_group(part('den'))}"
        case "sSup" | "sSub" | "sSubSup" | "sPre":
            marks = _format_scripts(part("sub"), part("sup"))
            base = part("e")
            return marks + base if name == "sPre" else _group(base) + marks
        case "rad":
            degree = part("deg").strip()
            sign = _ROOTS.get(degree, f"√[{degree}]")
            return f"{sign}{_add_parentheses(part('e'))}"
        case "nary":
            sign = _value(element, "chr", "∫")
            return f"{sign}{_format_scripts(part('sub'), part('sup'))} {part('e')}"
        case "d":
            begin, end = _value(element, "begChr", "("), _value(element, "endChr", ")")
            inside = [
                text[1:-1] if _is_matrix(e) else text
                for e in element
                if _name(e) == "e"
                for text in [linearize(e, depth + 1)]
            ]
            return begin + _value(element, "sepChr", "|").join(inside) + end
        case "func":
            return f"{part('fName')} {part('e')}"
        case "limLow":
            return f"{part('e')}{_format_scripts(part('lim'), '')}"
        case "limUpp":
            return f"{part('e')}{_format_scripts('', part('lim'))}"
        case "acc":
            return _group(part("e")) + _value(element, "chr", "\u0302")
        case "bar":
            return _group(part("e")) + ("\u0305" if _value(element, "pos") == "top" else "\u0332")
        case "m":
            return f"[{'; '.join(parts('mr'))}]"
        case "mr":
            return ", ".join(parts("e"))
        case "eqArr":
            return "; ".join(parts("e"))
    return "".join(linearize(e, depth + 1) for e in element)


def linearize_mathml(tag: Any) -> str:
    """Return a web page's formula (a Beautiful Soup element) as its TeX or in linear notation."""
    annotation = tag.find("annotation", encoding=re.compile("tex", re.IGNORECASE))
    tex = annotation.get_text() if annotation is not None else str(tag.get("alttext", ""))
    return f"${' '.join(tex.split())}$" if tex.strip() else _linear_mathml(tag)


def _linear_mathml(tag: Any, depth: int = 0) -> str:
    if depth > MAX_DEPTH:
        raise UnreadableError(TOO_DEEP)
    if isinstance(tag, str):
        return tag.strip()
    name = str(tag.name).rpartition(":")[2]
    if name.startswith("annotation"):
        return ""
    parts = [text for child in tag.children if (text := _linear_mathml(child, depth + 1))]
    match name, parts:
        case "mfrac", [above, below]:
            return f"{_group(above)}/{_group(below)}"
        case "msup" | "mover", [base, sup]:
            return _group(base) + _format_scripts("", sup)
        case "msub" | "munder", [base, sub]:
            return _group(base) + _format_scripts(sub, "")
        case "msubsup" | "munderover", [base, sub, sup]:
            return _group(base) + _format_scripts(sub, sup)
        case "msqrt", _:
            return f"√{_add_parentheses(''.join(parts))}"
        case "mroot", [base, degree]:
            return f"{_ROOTS.get(degree, f'√[{degree}]')}{_add_parentheses(base)}"
        case "mtr" | "mlabeledtr", _:
            return ", ".join(parts)
        case "mtable", _:
            return "; ".join(parts)
    return "".join(parts)


def _name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _value(element: Any, name: str, default: str = "") -> str:
    for properties in element:
        if _name(properties).endswith("Pr"):
            for child in properties:
                if _name(child) == name:
                    values = [v for k, v in child.attrib.items() if k.rpartition("}")[2] == "val"]
                    return values[0] if values else ""
    return default


def _is_matrix(element: Any) -> bool:
    inside = [_name(e) for e in element if not _name(e).endswith("Pr")]
    return inside == ["m"]


def _format_scripts(sub: str, sup: str) -> str:
    return (f"_{_group(sub)}" if sub else "") + (f"^{_group(sup)}" if sup else "")


def _group(text: str) -> str:
    text = text.strip()
    return text if _ATOM.fullmatch(text) or not text else _add_parentheses(text)


def _add_parentheses(text: str) -> str:
    if text.startswith("(") and text.endswith(")"):
        depth = 0
        for at, char in enumerate(text):
            depth += (char == "(") - (char == ")")
            if not depth:
                return text if at == len(text) - 1 else f"({text})"
    return f"({text})"
