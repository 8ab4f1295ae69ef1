"""A Pydantic model with most of what a schema can say."""

from __future__ import annotations

import enum
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, Field


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Maker(BaseModel):
    """The maker of a product."""

    name: str
    city: str | None = None


class Product(BaseModel):
    brand: str = Field(description="the maker")
    color: Color | None = None
    size: Literal["S", "M"] = "S"
    grams: Annotated[float, Field(gt=0, le=5000)] | None = None
    count: int = Field(ge=1, multiple_of=2)
    price: Decimal | None = None
    in_stock: bool | None = None
    made: date | None = None
    seen: datetime | None = None
    code: str | None = Field(None, pattern="^[A-Z]+$", max_length=4)
    tags: set[str] = Field(default_factory=set, max_length=3)
    maker: Maker | None = None
    parts: list[Maker] = Field(default_factory=list)
    total: float | None = Field(None, json_schema_extra={"depends_on": ["parts", "count"]})
