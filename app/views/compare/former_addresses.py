"""Compare: addresses of the time when it also held what the page Change holds."""

from __future__ import annotations

import streamlit as st

from app.views.change import chosen_report
from app.widgets import address, views
from app.widgets.frame import PageState

CHANGE = "views/change/change.py"


def lead_on(page: PageState) -> None:
    """Open Change where an address without a view changes its settings; offer it where the address also names words."""
    arrived = address.arrived()
    defaults: dict[str, str] = {}
    for settings in chosen_report.FORMER.values():
        defaults |= settings
    defaults["change_report"] = next(iter(chosen_report.names_of_reports(page.language)), "")
    changed = any(arrived.get(name, default) != default for name, default in defaults.items())
    if views.KEY in arrived or not changed:
        return
    default_words = page.examples["compared"]
    if arrived.get("compared", default_words) == default_words:
        st.switch_page(CHANGE, query_params=arrived)
    st.page_link(CHANGE, label=page.say("compare.moved_page"), query_params=arrived)
