# A client with requests-oauthlib: prints where the person is asked, reads where the person was led back to, and
# uses, refreshes and revokes what it gets.
import base64, hashlib, os, secrets, sys

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
from oauthlib.oauth2 import InvalidGrantError
from requests_oauthlib import OAuth2Session

server, client_id, secret, redirect = sys.argv[1:]
where = OAuth2Session(client_id).get(server + "/.well-known/oauth-authorization-server", withhold_token=True).json()
verifier = secrets.token_urlsafe(48)
challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
session = OAuth2Session(client_id, redirect_uri=redirect, scope=["upload"])
url, _ = session.authorization_url(where["authorization_endpoint"], code_challenge=challenge, code_challenge_method="S256")
print(url, flush=True)
back = sys.stdin.readline().strip()
shown = {"client_secret": secret} if secret else {"include_client_id": True}
try:
    session.fetch_token(where["token_endpoint"], authorization_response=back, code_verifier=verifier + "x", **shown)
    sys.exit("a wrong verifier was taken")
except InvalidGrantError:
    pass
token = session.fetch_token(where["token_endpoint"], authorization_response=back, code_verifier=verifier, **shown)
who = session.get(server + "/v2/account")
who.raise_for_status()
fields = {"client_id": client_id, "client_secret": secret} if secret else {"client_id": client_id}
again = session.refresh_token(where["token_endpoint"], refresh_token=token["refresh_token"], **fields)
assert again["refresh_token"] != token["refresh_token"] and again["scope"] == ["upload"], again
session.get(server + "/v2/account").raise_for_status()
session.post(where["revocation_endpoint"], data=dict(fields, token=again["refresh_token"]), withhold_token=True).raise_for_status()
assert session.get(server + "/v2/account").status_code == 401
try:
    session.refresh_token(where["token_endpoint"], refresh_token=again["refresh_token"], **fields)
    sys.exit("a revoked refresh token was taken")
except InvalidGrantError:
    pass
print("account", who.json()["id"])
