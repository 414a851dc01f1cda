"""Fields set from elsewhere, in runs that are broken off before the browser has heard of it."""

from streamlit.testing.v1 import AppTest

from rugboard.shell import fields


def slider_page() -> None:
    import streamlit as st

    from rugboard.shell.fields import field_showing, value_of

    def take() -> None:
        st.session_state["wanted"] = value_of("price")

    st.session_state.setdefault("wanted", 3)
    shown = field_showing("price", st.session_state["wanted"])
    st.select_slider("Price", [1, 2, 3], shown.start, key=shown.key, on_change=take)
    st.button("Two", on_click=lambda: st.session_state.update(wanted=2))


def number_page() -> None:
    import streamlit as st

    from rugboard.shell.fields import fill, fill_again, have_arrived

    if st.session_state.pop("filling", None) is not None or "number" not in st.session_state:
        fill({"number": st.session_state.setdefault("own", 5)})
    fill_again()
    st.number_input("Number", value=None, step=1, key="number")
    if not st.session_state.get("is_broken_off"):
        have_arrived()


def test_a_slider_starts_with_its_value_and_not_with_the_first_step() -> None:
    """What the browser shows if it only ever hears of the slider itself: its default."""
    app = AppTest.from_function(slider_page).run()
    assert app.select_slider[0].value == 3
    assert app.select_slider[0].proto.default == [2.0]
    assert not app.select_slider[0].proto.set_value


def test_a_value_from_elsewhere_makes_a_new_slider_that_starts_with_it() -> None:
    app = AppTest.from_function(slider_page).run()
    before = app.select_slider[0].key
    app.button[0].click().run()
    assert app.select_slider[0].key != before
    assert (app.select_slider[0].value, app.select_slider[0].proto.default) == (2, [1.0])
    assert not app.select_slider[0].proto.set_value


def test_a_slider_that_is_moved_stays_the_same_slider() -> None:
    app = AppTest.from_function(slider_page).run()
    before = app.select_slider[0].key
    app.select_slider[0].set_value(1).run()
    assert (app.select_slider[0].key, app.select_slider[0].value) == (before, 1)
    assert app.session_state["wanted"] == 1
    app.button[0].click().run()
    app.select_slider[0].set_value(3).run()
    assert app.session_state["wanted"] == app.select_slider[0].value == 3


def number_after(app: AppTest, sent: int | None) -> int | None:
    """The browser sends what it shows, and the page is drawn."""
    app.number_input[0].set_value(sent).run()
    found = app.number_input[0].value
    assert found is None or isinstance(found, int)
    return found


def test_a_field_whose_value_got_lost_is_filled_again() -> None:
    app = AppTest.from_function(number_page)
    app.session_state["is_broken_off"] = True
    app.run()
    assert number_after(app, sent=None) == 5  # it was drawn blank, as it is without the session
    app.session_state["is_broken_off"] = False
    app.run()
    assert number_after(app, sent=None) is None  # now somebody has emptied it


def test_what_somebody_typed_meanwhile_stays() -> None:
    app = AppTest.from_function(number_page)
    app.session_state["is_broken_off"] = True
    app.run()
    assert number_after(app, sent=8) == 8


def test_two_values_that_got_lost_one_after_the_other() -> None:
    app = AppTest.from_function(number_page).run()
    app.session_state["is_broken_off"] = True
    for own in (6, 7):
        app.session_state["own"], app.session_state["filling"] = own, True
        app.run()
    for stale in (5, 6):
        assert number_after(app, sent=stale) == 7
    assert fields.Arriving(7, (5, 6)) == app.session_state["_fields_arriving"]["number"]
