import { Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  AccountGuard,
  AuthenticationFailed,
  BrowserSessions,
  RequireScope,
  identityOf,
  Passkeys,
  SecondFactorRefused,
  sessionOf,
  strengthOf,
  type Account,
  type PasskeyQuestion,
} from '#identity';
import { Describe } from '#platform';
import { fieldsOf, textField } from '../request-fields';

/** Passkeys of the signed-in account, for its pages. */
@Controller('web/second-factor/passkeys')
@UseGuards(AccountGuard)
@RequireScope('second-factor')
export class PasskeyController {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly sessions: BrowserSessions,
  ) {}

  @Get('proposal')
  @Describe(
    'Asks a browser to make a passkey; the passkey counts when the answer of the browser has been sent.',
  )
  propose(@Req() request: FastifyRequest): Promise<PasskeyQuestion> {
    const { uid, displayName } = strongAccountOf(request);
    if (!this.passkeys.canBeMade)
      throw new SecondFactorRefused(
        'not-here',
        'Passkeys need a server with a name: this one is an IP address',
      );
    return this.passkeys.propose(uid, displayName);
  }

  /** Other browsers signed in with less, so they have to sign in again. */
  @Post()
  @HttpCode(200)
  @Describe('Stores a passkey that a browser made. Recovery codes are shown in this answer only.')
  async confirm(@Req() request: FastifyRequest): Promise<{ recoveryCodes: readonly string[] }> {
    const { uid, hasSecondFactor } = strongAccountOf(request);
    const fields = await fieldsOf(request);
    const [setup, answer, name] = ['setup', 'answer', 'name'].map((field) => textField(fields, field) ?? '');
    const recoveryCodes = await this.passkeys.confirm(uid, setup!, answer!, name!);
    const session = sessionOf(request);
    if (session) await this.sessions.strengthen(uid, session.id);
    if (!hasSecondFactor) await this.sessions.endOthers(uid, session?.id);
    return { recoveryCodes };
  }

  @Post('removal')
  @HttpCode(200)
  @Describe('Removes a passkey.')
  async remove(@Req() request: FastifyRequest): Promise<{ removed: true }> {
    const { uid } = strongAccountOf(request);
    const id = Number(textField(await fieldsOf(request), 'id') ?? NaN);
    await this.passkeys.remove(uid, Number.isSafeInteger(id) ? id : -1);
    return { removed: true };
  }
}

/** An account with a second factor can change it only after a sign-in with it. @throws AuthenticationFailed `second-factor-needed` */
function strongAccountOf(request: FastifyRequest): Account {
  const account = identityOf(request);
  if (account.hasSecondFactor && strengthOf(request) !== 'two_factors')
    throw new AuthenticationFailed('second-factor-needed');
  return account;
}
