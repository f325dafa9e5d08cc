"""aiosmtpd with STARTTLS and a user: smtp.py PORT CERT KEY USER PASSWORD. Each mail is a line of JSON."""
import asyncio
import json
import ssl
import sys
from email import message_from_bytes, policy

from aiosmtpd.smtp import SMTP, AuthResult

port, cert, key, user, password = sys.argv[1:]


class Handler:
    async def handle_DATA(self, server, session, envelope):
        mail = message_from_bytes(envelope.content, policy=policy.default)
        print(json.dumps({
            "from": envelope.mail_from, "to": envelope.rcpt_tos, "subject": mail["Subject"], "text": mail.get_content(),
            "tls": session.ssl is not None, "authenticated": session.authenticated,
        }), flush=True)
        return "250 taken"


def authenticate(server, session, envelope, mechanism, data):
    right = data.login == user.encode() and data.password == password.encode()
    return AuthResult(success=right, handled=True)


async def main():
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, key)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(Handler(), hostname="localhost", tls_context=context, require_starttls=True, auth_required=True, authenticator=authenticate, auth_require_tls=True),
        "127.0.0.1", int(port))
    print("ready", flush=True)
    await server.serve_forever()


asyncio.run(main())
