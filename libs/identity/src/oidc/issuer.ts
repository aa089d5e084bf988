import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { boundedFetch, IssuerFailure, readJson } from './read-json';

const READ_AGAIN_MS = 10 * 60_000;
/** Minimum time between two readings of the keys because of unknown keys. */
const KEYS_COOLDOWN_MS = 5_000;

const address = z.url().max(2048);
const DOCUMENT = z.looseObject({
  issuer: z.string().max(512),
  jwks_uri: address,
  userinfo_endpoint: address.optional(),
  introspection_endpoint: address.optional(),
  authorization_endpoint: address.optional(),
  token_endpoint: address.optional(),
  id_token_signing_alg_values_supported: z.array(z.string()).optional(),
});
const KEYS = z.looseObject({ keys: z.array(z.looseObject({ alg: z.string().optional() })) });
export type IssuerDocument = z.infer<typeof DOCUMENT>;

/** An issuer of OpenID Connect: its document and its keys, cached for ten minutes. */
export class Issuer {
  private document: Promise<IssuerDocument> | undefined;
  private readUntil = 0;
  private keySet: { readonly uri: string; readonly keys: JWTVerifyGetKey } | undefined;

  /** @param name the issuer's own name, exactly */
  constructor(readonly name: string) {}

  /** The issuer's description of itself. @throws IssuerFailure */
  async describe(): Promise<IssuerDocument> {
    if (!this.document || Date.now() > this.readUntil) {
      this.readUntil = Date.now() + READ_AGAIN_MS;
      const reading = this.read();
      this.document = reading;
      reading.catch(() => {
        if (this.document === reading) this.document = undefined;
      });
    }
    return this.document;
  }

  /** Its keys, which are read again when a token names an unknown one. @throws IssuerFailure */
  async keys(): Promise<JWTVerifyGetKey> {
    const { jwks_uri: uri } = await this.describe();
    if (this.keySet?.uri !== uri) {
      const keys = createRemoteJWKSet(new URL(uri), {
        cooldownDuration: KEYS_COOLDOWN_MS,
        cacheMaxAge: READ_AGAIN_MS,
        [customFetch]: boundedFetch,
      });
      this.keySet = { uri, keys };
    }
    return this.keySet.keys;
  }

  /** Algorithms of its keys, one for each; undefined for a key without one. @throws IssuerFailure */
  async algorithms(): Promise<readonly (string | undefined)[]> {
    const found = KEYS.safeParse(await readJson((await this.describe()).jwks_uri));
    if (!found.success) throw new IssuerFailure('the issuer shows its keys in another form');
    return found.data.keys.map(({ alg }) => alg);
  }

  private async read(): Promise<IssuerDocument> {
    const found = DOCUMENT.safeParse(
      await readJson(`${this.name.replace(/\/$/, '')}/.well-known/openid-configuration`),
    );
    if (!found.success) throw new IssuerFailure('the issuer describes itself in another form');
    if (found.data.issuer !== this.name) throw new IssuerFailure('the issuer names itself otherwise');
    return found.data;
  }
}
