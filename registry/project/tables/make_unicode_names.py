#!/usr/bin/env python3
"""Writes unicode_names.txt: the folded and decomposed forms of characters, from Python's copy of
the Unicode Character Database.

usage: make_unicode_names.py > unicode_names.txt
"""
import sys
import unicodedata

HANGUL = range(0xAC00, 0xD7A4)  # composed by arithmetic


def digits(text):
    return " ".join(f"{ord(character):X}" for character in text)


def main():
    apart, folded, classes = [], [], []
    for code in range(sys.maxunicode + 1):
        if 0xD800 <= code <= 0xDFFF or code in HANGUL:
            continue
        character = chr(code)
        decomposed = unicodedata.normalize("NFD", character)
        if decomposed != character:
            apart.append((code, decomposed))
        fold = unicodedata.normalize("NFD", decomposed.casefold())
        if len(decomposed) == 1 and fold != decomposed:
            folded.append((code, fold))
        mark = unicodedata.combining(character)
        if mark and classes and classes[-1][1] == code - 1 and classes[-1][2] == mark:
            classes[-1][1] = code
        elif mark:
            classes.append([code, code, mark])
    print(f"# Unicode {unicodedata.unidata_version}; written by make_unicode_names.py.")
    print("# d: a character and its canonical decomposition. f: a character and its folded form.")
    print("# c: first and last character with a combining class, and the class.")
    for code, text in apart:
        print(f"d {code:X} {digits(text)}")
    for code, text in folded:
        print(f"f {code:X} {digits(text)}")
    for first, last, mark in classes:
        print(f"c {first:X} {last:X} {mark:X}")


if __name__ == "__main__":
    main()
