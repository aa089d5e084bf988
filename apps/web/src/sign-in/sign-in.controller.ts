import { Controller, Get, Post, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  AuthenticationFailed,
  type AuthenticationFailure,
  BrowserSessions,
  isRequestToken,
  MainPasswords,
  noSessionCookie,
  Passkeys,
  PendingSignIns,
  SecondFactors,
} from '#identity';
import { languageOf } from '#pages';
import { actAs, Describe, type EdgeReply } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { BrowserEntry } from './browser-entry';
import { readReturnAddress } from './return-address';
import { FactorPages } from './factor-pages';
import { signInPage, tlsNeededPage } from './sign-in-page';
import type { SignInFault } from './sign-in-texts';

const MAX_FORM_CHARACTERS = 8192;

/** Signs browsers in and out. */
@Controller()
export class SignInController {
  constructor(
    private readonly passwords: MainPasswords,
    private readonly sessions: BrowserSessions,
    private readonly pending: PendingSignIns,
    private readonly factors: SecondFactors,
    private readonly passkeys: Passkeys,
    private readonly factorPages: FactorPages,
    private readonly policy: CachedPolicy,
    private readonly entry: BrowserEntry,
  ) {}

  @Get(['login', 'index.php/login'])
  @Describe('The form for user name and password.')
  async show(@Req() request: FastifyRequest, @Query('next') next: unknown): Promise<EdgeReply> {
    await assertInService(this.policy);
    if (!this.entry.keepsCookies()) return tlsNeededPage(languageOf(request.headers));
    const to = readReturnAddress(next);
    const found = await this.sessions.find(request.headers.cookie);
    if (found) return found.session.lacksSecondFactor ? this.entry.toSetUp(to) : this.entry.goOn(to);
    return signInPage(this.entry.page(request, to));
  }

  @Post(['login', 'index.php/login'])
  @Describe('Signs a browser in. The number of failed attempts is limited, as for every sign-in.')
  async signIn(@Req() request: FastifyRequest): Promise<EdgeReply> {
    await assertInService(this.policy);
    if (!this.entry.keepsCookies()) return tlsNeededPage(languageOf(request.headers));
    const form = formOf(request);
    return form.has('pending') ? this.takeFactor(request, form) : this.takePassword(request, form);
  }

  private async takePassword(request: FastifyRequest, form: URLSearchParams): Promise<EdgeReply> {
    const [user, password] = [form.get('user') ?? '', form.get('password') ?? ''];
    const page = this.entry.page(request, readReturnAddress(form.get('next')));
    try {
      const account = await this.passwords.check({ uid: user, password }, request.ip);
      if (account.hasSecondFactor)
        return await this.factorPages.show(account, { ...page, pending: this.pending.begin(account) });
      return await this.entry.open(request, { account, strength: 'one_factor' }, page.next);
    } catch (error) {
      if (!(error instanceof AuthenticationFailed)) throw error;
      const { reason, retryAfterSeconds } = error;
      return signInPage({ ...page, user, fault: faultOf(reason), retryAfterSeconds });
    }
  }

  private async takeFactor(request: FastifyRequest, form: URLSearchParams): Promise<EdgeReply> {
    const pending = form.get('pending') ?? '';
    const page = this.entry.page(request, readReturnAddress(form.get('next')));
    const found = await this.pending.find(pending);
    if (!found) return signInPage({ ...page, fault: 'over' });
    const { account } = found;
    actAs({ kind: 'user', uid: account.uid });
    try {
      if (await this.accepts(account.uid, form, request.ip))
        return await this.entry.open(request, { ...found, strength: 'two_factors' }, page.next);
      const fault = form.has('passkey') ? 'wrongPasskey' : 'wrongCode';
      return await this.factorPages.show(account, { ...page, pending, fault });
    } catch (error) {
      if (!(error instanceof AuthenticationFailed)) throw error;
      const { reason, retryAfterSeconds } = error;
      return this.factorPages.show(account, { ...page, pending, fault: faultOf(reason), retryAfterSeconds });
    }
  }

  /** @throws AuthenticationFailed `throttled` */
  private accepts(uid: string, form: URLSearchParams, address: string): Promise<boolean> {
    const [code, setup, answer] = ['code', 'setup', 'passkey'].map((name) => form.get(name) ?? '');
    return form.has('passkey')
      ? this.passkeys.accepts(uid, setup!, answer!, address)
      : this.factors.accepts(uid, code!, address);
  }

  /** The page's token is required, so that the page of another site cannot sign people out. */
  @Post('logout')
  @Describe('Ends the session of a browser.')
  async signOut(@Req() request: FastifyRequest): Promise<EdgeReply> {
    const found = await this.sessions.find(request.headers.cookie);
    if (found && !isRequestToken(found.session.secret, formOf(request).get('requesttoken')))
      return this.entry.goOn(undefined);
    if (found) await this.sessions.end(found.account.uid, found.session.id);
    return this.entry.goOn(this.entry.hrefOf('/login'), { 'set-cookie': noSessionCookie() });
  }
}

const formOf = ({ body }: FastifyRequest): URLSearchParams =>
  new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8', 0, MAX_FORM_CHARACTERS) : '');

/** The form asks for a main password, so other reasons cannot occur there. */
const faultOf = (reason: AuthenticationFailure): SignInFault =>
  reason === 'throttled' || reason === 'busy' || reason === 'disabled' ? reason : 'wrong';
