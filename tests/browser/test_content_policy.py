"""The pages load nothing from elsewhere: the browser itself refuses, whatever a card or a word says."""

VIOLATION = """() => new Promise(done => {
    document.addEventListener('securitypolicyviolation', event => done(event.violatedDirective));
    const picture = new Image();
    picture.src = 'http://elsewhere.invalid/picture.png';
    document.body.append(picture);
    setTimeout(() => done('loaded'), 5000);
})"""


def test_a_picture_from_elsewhere_is_refused_by_the_browser_and_figures_are_drawn(
    address, chromium
):
    page = chromium.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(address)
    page.wait_for_selector(".js-plotly-plot", timeout=120_000)
    assert not [text for text in complaints if "Content Security Policy" in text]
    assert page.evaluate(VIOLATION) == "img-src"
    page.close()
