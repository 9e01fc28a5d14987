"""The results of a folder as one HTML page that needs no network."""

from minpairs.report.page.build import render_page, write_page

__all__ = ["render_page", "write_page"]
