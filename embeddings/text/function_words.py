"""Function words by closed classes: pronouns, articles, prepositions, conjunctions, particles, auxiliary verbs, adverbs of place and time.

One form of each lemma is listed, the others share it (`embeddings.text.lemmas`). Words that are something else as often are left out
(mine), and those that share their lemma with a word of content (больше, a form of большой).
"""

from __future__ import annotations

from functools import cache

from embeddings.text.lemmas import lemma

_WORDS = {
    "en": """
        you he she it we they me her my your his its our their yours hers ours theirs myself
        yourself himself herself itself ourselves themselves this that who whom whose which what
        where when why how the an and or but nor so if then than as of in on at by for with from to
        into onto upon about over under between among through during before after since until while
        because although though unless not no yes all any some each every both either neither other
        another such same own only just even also too very more most less much many few several here
        there now again ever never always often once be have do can could will would shall should
        may might must ought one anyone someone everyone nobody anything something everything
        nothing thus hence however therefore indeed rather quite perhaps else etc
    """,
    "ru": """
        ты он она оно мы вы они себя я ее ним мой твой наш ваш свой этот тот такой сей
        столько кто что какой который чей сколько весь сам самый каждый любой иной другой никто
        ничто никакой некто нечто некоторый но да или либо ни не нет ли же бы ведь вот вон уж уже
        еще лишь только даже именно разве неужели пусть пускай хоть хотя если ежели когда пока
        покуда чтобы чтоб дабы будто словно точно как так потому поэтому оттого затем зато однако
        притом причем также тоже ибо едва чуть там тут здесь где куда откуда туда сюда оттуда отсюда
        тогда теперь сейчас потом всегда никогда иногда опять снова вдруг почему зачем отчего очень
        совсем вовсе слишком почти более менее вообще впрочем конечно мочь можно
        нельзя надо должен во на со ко об обо от из изо за по под подо над до для без
        безо при про через между среди около возле против ради после перед пред кроме вместо сквозь
        быть ль ну ах ох эх ой вишь де дескать таки бишь авось небось
    """,
    "de": """
        ich du er sie es wir ihr dich sich mein dein sein unser euer der ein kein dieser jener wer
        was wo wann warum wie welcher und oder aber denn sondern doch wenn ob dass weil als da damit
        nachdem bevor während obwohl in im an am auf aus bei mit nach seit von vom zu zum zur durch
        für gegen ohne um über unter vor hinter neben zwischen bis nicht nein ja auch nur noch schon
        sehr so dann hier dort nun jetzt immer nie wieder mehr weniger alle jeder man etwas nichts
        niemand jemand selbst habe hast hat haben werden können muss müssen soll sollen will wollen
        mögen dürfen eben gar ganz wohl zwar also etwa bloß eigentlich
    """,
}


def function_words(language: str) -> frozenset[str]:
    """Return the function words of a language, lower-cased, one form of each lemma; none for a language without a list.

    Examples
    --------
    >>> "among" in function_words("en"), "bank" in function_words("en")
    (True, False)
    """
    return frozenset(_WORDS.get(language, "").split())


def is_function_word(word: str, language: str) -> bool:
    """Whether a word, in any of its forms, is a function word of a language.

    Examples
    --------
    >>> is_function_word("Ее", "ru"), is_function_word("keys", "en")
    (True, False)
    """
    return lemma(word.lower(), language) in _lemmas(language)


@cache
def _lemmas(language: str) -> frozenset[str]:
    """Return the lemmas of the function words of a language, with the words themselves."""
    words = function_words(language)
    return words | {lemma(word, language) for word in words}
