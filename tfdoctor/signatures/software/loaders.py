"""What the loaders of macOS and of Windows, and DirectML under WSL, say of a library that they can't load."""

from __future__ import annotations

NO_PROCEDURE = {
    "de": "Die angegebene Prozedur wurde nicht gefunden",
    "fr": "La procédure spécifiée est introuvable",
    "es": "No se encontró el proceso especificado",
    "pt": "Não foi possível encontrar o procedimento especificado",
    "it": "Impossibile trovare la procedura specificata",
    "pl": "Nie można odnaleźć określonej procedury",
    "ru": "Не найдена указанная процедура",
    "zh": "找不到指定的程序",
    "ja": "指定されたプロシージャが見つかりません",
    "ko": "지정된 프로시저를 찾을 수 없습니다",
}
"""Windows' sentence of error 127 in other languages, as programs' public threads quote it."""
BAD_FORMAT = {
    "en": "is not a valid Win32 application",
    "de": "ist keine zulässige Win32-Anwendung",
    "fr": "n’est pas une application Win32 valide",
    "es": "no es una aplicación Win32 válida",
    "pt": "não é um aplicativo Win32 válido",
    "ru": "не является приложением Win32",
    "zh": "不是有效的 Win32 应用程序",
}
"""Windows' sentence of error 193 (ERROR_BAD_EXE_FORMAT), in the languages in which people quote it."""
