"""Bookings of journeys: flights, trains, hotels, cars, ferries and tours."""
