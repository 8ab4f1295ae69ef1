"""Job advertisements: boards, posters, posts, intranets and letters of recruiters."""
