// oidc-provider as a service to sign in at: node provider.mjs PORT REDIRECT. It asks no one: each browser is the person of /person.
import { Provider } from "oidc-provider";

const [port, redirect] = process.argv.slice(2);
let person = { sub: "nobody" };

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{ client_id: "alcove", client_secret: "not so secret", redirect_uris: [redirect] }],
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["given_name", "family_name", "roles"] },
  findAccount: async (_, id) => ({ accountId: id, claims: async () => ({ ...person, sub: id }) }),
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  features: { devInteractions: { enabled: false } },
  cookies: { keys: ["of a test"] },
  ttl: { Grant: 600, Interaction: 600, Session: 600, AccessToken: 600, IdToken: 600 },
});

provider.use(async (ctx, next) => {
  if (ctx.path === "/person") {
    person = JSON.parse(ctx.query.is);
    ctx.body = "yes";
    return;
  }
  if (!ctx.path.startsWith("/interaction/")) return next();
  const { prompt, params, session } = await provider.interactionDetails(ctx.req, ctx.res);
  if (person.refuses) return provider.interactionFinished(ctx.req, ctx.res, { error: "access_denied" });
  if (prompt.name === "login") return provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: person.sub } });
  const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  return provider.interactionFinished(ctx.req, ctx.res, { consent: { grantId: await grant.save() } });
});

provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
