"""Signing in by OIDC at a provider on this machine: nobody enters without, editors change, others look."""

import json
import os
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import expect

from benchmarks.servers import free_port, wait_until_healthy
from tests.browser.conftest import ROOT
from tests.servers import serving

EDITOR, READER = "ann@example.org", "bob@example.org"


class Provider(BaseHTTPRequestHandler):
    """The least that OpenID Connect asks of a provider; `server.person` is whoever sits before it."""

    def do_GET(self):
        parts, base = urlsplit(self.path), self.server.address
        if parts.path == "/.well-known/openid-configuration":
            kinds = {"response_types_supported": ["code"], "subject_types_supported": ["public"]}
            algorithms = {"id_token_signing_alg_values_supported": ["RS256"]}
            ends = ("authorization_endpoint", "authorize"), ("token_endpoint", "token")
            places = {name: f"{base}/{path}" for name, path in (*ends, ("jwks_uri", "jwks"))}
            self.say({"issuer": base, **places, **kinds, **algorithms})
        elif parts.path == "/jwks":
            self.say({"keys": [self.server.key.as_dict(private=False)]})
        elif parts.path == "/authorize":
            asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
            self.server.nonces[code := f"code{len(self.server.nonces)}"] = asked.get("nonce")
            back = urlencode({"code": code, "state": asked["state"]})
            self.send_response(302)
            self.send_header("Location", f"{asked['redirect_uri']}?{back}")
            self.end_headers()

    def do_POST(self):
        from joserfc import jwt

        body = self.rfile.read(int(self.headers["content-length"])).decode()
        code = parse_qs(body)["code"][0]
        now = int(time.time())
        claims = {"iss": self.server.address, "aud": "klyuch", "sub": self.server.person}
        claims |= {"iat": now, "exp": now + 600, "nonce": self.server.nonces.pop(code)}
        claims |= {"email": self.server.person, "email_verified": True}
        token = jwt.encode({"alg": "RS256", "kid": "k"}, claims, self.server.key)
        self.say({"access_token": "a", "token_type": "Bearer", "id_token": token})

    def say(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def provider():
    from joserfc.jwk import RSAKey

    key = RSAKey.generate_key(2048, {"kid": "k", "use": "sig", "alg": "RS256"})
    with serving(Provider, key=key, nonces={}, person=EDITOR) as server:
        yield server


@pytest.fixture
def guarded(provider, tmp_path):
    """Address of the app, which listens to others and asks for a sign-in, and what it said at its start."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    values = {"redirect_uri": f"{base}/oauth2callback", "cookie_secret": "x" * 40}
    values |= {"client_id": "klyuch", "client_secret": "s"}
    values["server_metadata_url"] = f"{provider.address}/.well-known/openid-configuration"
    secrets = tmp_path / "secrets.toml"
    secrets.write_text("[auth]\n" + "".join(f'{key} = "{v}"\n' for key, v in values.items()))
    command = [sys.executable, "-m", "streamlit", "run", "app/server.py", "--server.headless=true"]
    command += [f"--server.port={port}", "--server.address=0.0.0.0", f"--secrets.files={secrets}"]
    home = {"KLYUCH_HOME": str(tmp_path / "home"), "KLYUCH_EDITORS": EDITOR}
    log = (tmp_path / "log").open("w")
    server = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **home}, stdout=log, stderr=subprocess.STDOUT
    )
    try:
        wait_until_healthy(port)
        yield base
    finally:
        server.terminate()
        server.wait(20)
        log.close()
    assert "Traceback" not in (tmp_path / "log").read_text()


@pytest.mark.slow
def test_whoever_signs_in_looks_and_only_an_editor_changes(provider, guarded, chromium):
    for person, may_import in ((EDITOR, True), (READER, False)):
        provider.person = person
        context = chromium.new_context(locale="en-US")
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.goto(f"{guarded}/shelf?lang=en")
        button = page.get_by_role("button", name="Sign in")
        button.wait_for()
        expect(page.get_by_text("en-skipgram").first).to_be_hidden()
        button.click()
        page.get_by_text(f"Signed in as {person.split('@')[0]}").wait_for()
        page.goto(f"{guarded}/shelf?lang=en")
        page.get_by_role("button", name="Check every file now").wait_for()
        expect(page.get_by_text("Import", exact=True)).to_have_count(int(may_import))
        context.close()
