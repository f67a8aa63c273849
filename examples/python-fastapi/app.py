"""Some notes, kept in memory."""

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel


class Note(BaseModel):
    """A note, with tags to find it by."""

    number: int
    text: str
    tags: list[str] = []


NOTES = {number: Note(number=number, text=f"Note {number}") for number in range(1, 21)}

app = FastAPI()


@app.get("/notes/{number}")
async def read_note(number: int) -> Note:
    """Give one note, or say that there is none."""
    if number not in NOTES:
        raise HTTPException(404)
    return NOTES[number]


@app.get("/notes")
async def list_notes() -> list[Note]:
    """Give all notes."""
    return list(NOTES.values())


@app.post("/notes/check")
async def check_note(note: Note) -> Note:
    """Say how a note would be kept; it is not, so that the answers of a measurement stay the same."""
    return note
