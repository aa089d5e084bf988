import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Account, BrowserSessions, type IssuerSession, TrustedIssuer } from '#identity';
import { languageOf, RedirectReply, type Language } from '#pages';
import { CONFIG, PublicAddress, type Config, type EdgeReply } from '#platform';
import type { IssuerLink } from './sign-in-page';

/** Hosts for which browsers store secure cookies without TLS. */
const OWN_MACHINE = /^(?:localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** A person whose sign-in is complete. */
interface Entering {
  readonly account: Account;
  readonly strength: 'one_factor' | 'two_factors';
  /** The session at the issuer, if there is one. */
  readonly atIssuer?: IssuerSession;
}

/** Opens sessions for browsers after any kind of sign-in. */
@Injectable()
export class BrowserEntry {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly trusted: TrustedIssuer,
    private readonly publicAddress: PublicAddress,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Opens a session, ends an earlier one of the browser, and redirects the browser. */
  async open(
    request: FastifyRequest,
    { account, strength, atIssuer }: Entering,
    next: string | undefined,
  ): Promise<EdgeReply> {
    const browser = { userAgent: request.headers['user-agent'] ?? '', address: request.ip };
    const cookie = await this.sessions.open(account, strength, browser, atIssuer);
    const earlier = await this.sessions.find(request.headers.cookie);
    if (earlier) await this.sessions.end(earlier.account.uid, earlier.session.id);
    return this.goOn(next, { 'set-cookie': cookie });
  }

  goOn(to: string | undefined, headers: Readonly<Record<string, string>> = {}): EdgeReply {
    return new RedirectReply(to ?? this.hrefOf('/'), headers);
  }

  /** The page on which an account sets its second factor up; from there the browser goes on to `next`. */
  toSetUp(next: string | undefined): EdgeReply {
    return this.goOn(this.hrefOf('/web/settings/second-factor') + queryOf(next));
  }

  /** Common parts of all sign-in pages. */
  page(
    request: FastifyRequest,
    next: string | undefined,
  ): { action: string; language: Language; next: string | undefined; issuer: IssuerLink | undefined } {
    return {
      action: this.hrefOf('/login'),
      language: languageOf(request.headers),
      next,
      issuer: this.linkToIssuer(next),
    };
  }

  /** Whether browsers store the cookie of a session. */
  keepsCookies(): boolean {
    const { protocol, hostname } = new URL(this.publicAddress.url);
    return protocol === 'https:' || OWN_MACHINE.test(hostname);
  }

  hrefOf(path: string): string {
    return this.publicAddress.path + path;
  }

  private linkToIssuer(next: string | undefined): IssuerLink | undefined {
    const { issuer, signsBrowsersIn } = this.trusted;
    if (!issuer || !signsBrowsersIn) return undefined;
    const label = this.config.OIDC_LABEL ?? new URL(issuer.name).hostname;
    return { label, address: this.hrefOf('/login/oidc') + queryOf(next) };
  }
}

const queryOf = (next: string | undefined): string =>
  next === undefined ? '' : `?next=${encodeURIComponent(next)}`;
