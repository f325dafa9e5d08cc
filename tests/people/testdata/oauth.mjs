// A client with openid-client: prints where the person is asked, reads where the person was led back to, and
// uses, refreshes and revokes what it gets.
import * as client from "openid-client";
import { createInterface } from "node:readline/promises";

const [server, id, secret, redirect] = process.argv.slice(2);
const config = await client.discovery(new URL(server), id, undefined, secret ? client.ClientSecretBasic(secret) : client.None(), {
  algorithm: "oauth2", execute: [client.allowInsecureRequests],
});
const verifier = client.randomPKCECodeVerifier();
const state = client.randomState();
console.log(client.buildAuthorizationUrl(config, {
  redirect_uri: redirect, scope: "upload", state, code_challenge: await client.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256",
}).href);
const lines = createInterface({ input: process.stdin });
const back = new URL((await lines[Symbol.asyncIterator]().next()).value);
lines.close();

const refuses = async (code, work) => {
  try {
    await work();
  } catch (e) {
    if (e.error === code || e.code === code) return;
    throw e;
  }
  throw new Error(`not refused with ${code}`);
};
const mixed = new URL(back);
mixed.searchParams.set("iss", "https://evil.example");
await refuses("OAUTH_INVALID_RESPONSE", () => client.authorizationCodeGrant(config, mixed, { pkceCodeVerifier: verifier, expectedState: state }));
const tokens = await client.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier, expectedState: state });
if (tokens.scope !== "upload" || tokens.expires_in !== 3600) throw new Error(JSON.stringify(tokens));
const account = (token) => client.fetchProtectedResource(config, token, new URL("/v2/account", server), "GET");
const who = await (await account(tokens.access_token)).json();
const again = await client.refreshTokenGrant(config, tokens.refresh_token);
if (again.refresh_token === tokens.refresh_token) throw new Error("the refresh token stayed");
await account(again.access_token);
await client.tokenRevocation(config, again.refresh_token);
await refuses("invalid_grant", () => client.refreshTokenGrant(config, again.refresh_token));
await account(again.access_token).then(() => { throw new Error("the access token still works"); }, (e) => {
  if (e.code !== "OAUTH_WWW_AUTHENTICATE_CHALLENGE") throw e;
});
console.log(`account ${who.id}`);
