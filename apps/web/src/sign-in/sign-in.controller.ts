import { Controller, Get, Post, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  type Account,
  AuthenticationFailed,
  type AuthenticationFailure,
  BrowserSessions,
  isRequestToken,
  MainPasswords,
  noSessionCookie,
  PendingSignIns,
  SecondFactors,
} from '#identity';
import { languageOf, RedirectReply, type Language } from '#pages';
import { actAs, Describe, PublicAddress, type EdgeReply } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { readReturnAddress } from './return-address';
import { factorPage, signInPage, tlsNeededPage } from './sign-in-page';
import type { SignInFault } from './sign-in-texts';

const MAX_FORM_CHARACTERS = 8192;
/** Hosts on which browsers keep secure cookies without TLS. */
const OWN_MACHINE = /^(?:localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Signs browsers in and out. */
@Controller()
export class SignInController {
  constructor(
    private readonly passwords: MainPasswords,
    private readonly sessions: BrowserSessions,
    private readonly pending: PendingSignIns,
    private readonly factors: SecondFactors,
    private readonly policy: CachedPolicy,
    private readonly publicAddress: PublicAddress,
  ) {}

  @Get(['login', 'index.php/login'])
  @Describe('The form for user name and password.')
  async show(@Req() request: FastifyRequest, @Query('next') next: unknown): Promise<EdgeReply> {
    await assertInService(this.policy);
    if (!this.keepsCookies()) return tlsNeededPage(languageOf(request.headers));
    const to = readReturnAddress(next);
    if (await this.sessions.find(request.headers.cookie)) return this.goOn(to);
    return signInPage({ action: this.hrefOf('/login'), language: languageOf(request.headers), next: to });
  }

  @Post(['login', 'index.php/login'])
  @Describe('Signs a browser in, with the bounds on guessing that all sign-ins have.')
  async signIn(@Req() request: FastifyRequest): Promise<EdgeReply> {
    await assertInService(this.policy);
    if (!this.keepsCookies()) return tlsNeededPage(languageOf(request.headers));
    const form = formOf(request);
    return form.has('pending') ? this.takeFactor(request, form) : this.takePassword(request, form);
  }

  private async takePassword(request: FastifyRequest, form: URLSearchParams): Promise<EdgeReply> {
    const [user, password] = [form.get('user') ?? '', form.get('password') ?? ''];
    const page = this.pageFor(request, form);
    try {
      const account = await this.passwords.check({ uid: user, password }, request.ip);
      if (account.hasSecondFactor) return factorPage({ ...page, pending: this.pending.begin(account) });
      return await this.openSession(request, account, 'one_factor', page.next);
    } catch (error) {
      if (!(error instanceof AuthenticationFailed)) throw error;
      const { reason, retryAfterSeconds } = error;
      return signInPage({ ...page, user, fault: faultOf(reason), retryAfterSeconds });
    }
  }

  private async takeFactor(request: FastifyRequest, form: URLSearchParams): Promise<EdgeReply> {
    const [pending, code] = [form.get('pending') ?? '', form.get('code') ?? ''];
    const page = this.pageFor(request, form);
    const account = await this.pending.find(pending);
    if (!account) return signInPage({ ...page, fault: 'over' });
    actAs({ kind: 'user', uid: account.uid });
    try {
      if (await this.factors.accepts(account.uid, code, request.ip))
        return await this.openSession(request, account, 'two_factors', page.next);
      return factorPage({ ...page, pending, fault: 'wrongCode' });
    } catch (error) {
      if (!(error instanceof AuthenticationFailed)) throw error;
      const { reason, retryAfterSeconds } = error;
      return factorPage({ ...page, pending, fault: faultOf(reason), retryAfterSeconds });
    }
  }

  private async openSession(
    request: FastifyRequest,
    account: Account,
    strength: 'one_factor' | 'two_factors',
    next: string | undefined,
  ): Promise<EdgeReply> {
    const userAgent = request.headers['user-agent'] ?? '';
    const cookie = await this.sessions.open(account, strength, { userAgent, address: request.ip });
    await this.endSessionOf(request);
    return this.goOn(next, { 'set-cookie': cookie });
  }

  private pageFor(
    request: FastifyRequest,
    form: URLSearchParams,
  ): { action: string; language: Language; next: string | undefined } {
    const next = readReturnAddress(form.get('next'));
    return { action: this.hrefOf('/login'), language: languageOf(request.headers), next };
  }

  /** Without the token of the page nothing ends: the page of another site cannot sign people out. */
  @Post('logout')
  @Describe('Ends the session of a browser.')
  async signOut(@Req() request: FastifyRequest): Promise<EdgeReply> {
    const found = await this.sessions.find(request.headers.cookie);
    if (found && !isRequestToken(found.session.secret, formOf(request).get('requesttoken')))
      return new RedirectReply(this.hrefOf('/'));
    if (found) await this.sessions.end(found.account.uid, found.session.id);
    return new RedirectReply(this.hrefOf('/login'), { 'set-cookie': noSessionCookie() });
  }

  /** A browser has one session: that of an earlier sign-in ends with the next one. */
  private async endSessionOf(request: FastifyRequest): Promise<void> {
    const earlier = await this.sessions.find(request.headers.cookie);
    if (earlier) await this.sessions.end(earlier.account.uid, earlier.session.id);
  }

  private goOn(to: string | undefined, headers: Readonly<Record<string, string>> = {}): EdgeReply {
    return new RedirectReply(to ?? this.hrefOf('/'), headers);
  }

  private keepsCookies(): boolean {
    const { protocol, hostname } = new URL(this.publicAddress.url);
    return protocol === 'https:' || OWN_MACHINE.test(hostname);
  }

  private hrefOf(path: string): string {
    return this.publicAddress.path + path;
  }
}

const formOf = ({ body }: FastifyRequest): URLSearchParams =>
  new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8', 0, MAX_FORM_CHARACTERS) : '');

/** The form asks for a main password, so the others do not happen there. */
const faultOf = (reason: AuthenticationFailure): SignInFault =>
  reason === 'throttled' || reason === 'busy' || reason === 'disabled' ? reason : 'wrong';
