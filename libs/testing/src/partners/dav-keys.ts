import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { DavPartnerOptions, DavShare } from './dav-share';
import { replyJson } from './fake-server';

const USUAL_TAKES = { owncloud: ['Basic'], opencloud: ['Bearer'], reva: ['Bearer'] } as const;
const DEFAULT_LIFETIME = 300;

/** Credentials that open the shares of a fake partner. */
export class DavKeys {
  readonly shares: DavShare[] = [];
  /** Exchanged codes. */
  readonly exchanged: string[] = [];
  /** The newest token of each share. */
  private readonly tokens = new Map<DavShare, { readonly token: string; readonly expiresAt: number }>();

  constructor(private readonly options: DavPartnerOptions) {}

  /** @param id in the path; undefined if only the secret identifies the share */
  shareOf(authorization: string, id: string | undefined): DavShare | undefined {
    const [scheme = '', value = ''] = authorization.split(' ');
    const given = scheme === 'Basic' ? Buffer.from(value, 'base64').toString().replace(/:$/, '') : value;
    const here = this.shares.filter((share) => id === undefined || id === share.providerId);
    return here.find((share) => this.isToken(share, scheme, given) || this.isSecret(share, scheme, given));
  }

  /** Answers `POST /ocm/token`; the previous token becomes invalid. */
  exchange(form: URLSearchParams, response: ServerResponse): void {
    const share = this.shares.find((one) => one.secret === form.get('code'));
    if (!share || !this.options.exchange || form.get('grant_type') !== 'authorization_code')
      return replyJson(response, 400, { error: 'invalid_grant' });
    this.exchanged.push(share.secret);
    const token = randomBytes(16).toString('hex');
    this.tokens.set(share, { token, expiresAt: Date.now() + DEFAULT_LIFETIME * 1000 });
    replyJson(response, 200, { access_token: token, token_type: 'Bearer', expires_in: DEFAULT_LIFETIME });
  }

  private isToken(share: DavShare, scheme: string, given: string): boolean {
    const token = this.tokens.get(share);
    return scheme === 'Bearer' && token?.token === given && token.expiresAt > Date.now();
  }

  private isSecret(share: DavShare, scheme: string, given: string): boolean {
    const takes: readonly string[] = this.options.takes ?? USUAL_TAKES[this.options.flavour ?? 'owncloud'];
    return this.options.exchange !== 'required' && takes.includes(scheme) && share.secret === given;
  }
}
