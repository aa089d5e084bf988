import { Controller, Get, HttpCode, Post, Put, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  AccountGuard,
  BrowserSessions,
  RequireScope,
  identityOf,
  Passkeys,
  SecondFactors,
  sessionOf,
  type ShownPasskey,
} from '#identity';
import { Describe, PublicAddress } from '#platform';
import { fieldsOf, textField } from '../request-fields';

/** The second factor of the account. */
interface ShownSecondFactor {
  /** Time at which its app was added, ISO 8601 in UTC; null: it has none. */
  readonly since: string | null;
  /** Number of unused recovery codes. */
  readonly recoveryCodes: number;
  readonly passkeys: readonly ShownKey[];
  /** Whether browsers can make passkeys for this server. */
  readonly passkeysCanBeMade: boolean;
}

interface ShownKey {
  readonly id: number;
  readonly name: string;
  /** ISO 8601 in UTC. */
  readonly since: string;
  /** ISO 8601 in UTC; null: never. */
  readonly usedAt: string | null;
}

/** The second factor of the signed-in account, for its pages. Attempts with codes are limited like sign-ins. */
@Controller('web/second-factor')
@UseGuards(AccountGuard)
@RequireScope('second-factor')
export class SecondFactorController {
  constructor(
    private readonly factors: SecondFactors,
    private readonly passkeys: Passkeys,
    private readonly sessions: BrowserSessions,
    private readonly publicAddress: PublicAddress,
  ) {}

  @Get()
  @Describe('Lists the second factors of the account.')
  async show(@Req() request: FastifyRequest): Promise<ShownSecondFactor> {
    const { uid } = identityOf(request);
    const { since, recoveryCodes } = await this.factors.state(uid);
    return {
      since: since?.toISOString() ?? null,
      recoveryCodes,
      passkeys: (await this.passkeys.list(uid)).map(shown),
      passkeysCanBeMade: this.passkeys.canBeMade,
    };
  }

  @Get('proposal')
  @Describe('A new secret for an app that shows codes; it counts once a code of it has been sent.')
  propose(@Req() request: FastifyRequest): { secret: string; address: string; setup: string } {
    const { uid } = identityOf(request);
    return this.factors.propose(uid, `${uid}@${new URL(this.publicAddress.url).host}`);
  }

  /** Other browsers signed in with the password alone, so they have to sign in again. */
  @Put()
  @Describe(
    'Sets the second factor up; needs a code of the app. The recovery codes are shown in this answer only.',
  )
  async confirm(@Req() request: FastifyRequest): Promise<{ recoveryCodes: readonly string[] }> {
    const { uid } = identityOf(request);
    const fields = await fieldsOf(request);
    const [setup, code] = [textField(fields, 'setup') ?? '', textField(fields, 'code') ?? ''];
    const recoveryCodes = await this.factors.confirm(uid, setup, code);
    const session = sessionOf(request);
    if (session) await this.sessions.strengthen(uid, session.id);
    await this.sessions.endOthers(uid, session?.id);
    return { recoveryCodes };
  }

  @Post('removal')
  @HttpCode(200)
  @Describe('Turns the second factor off; needs a code.')
  async turnOff(@Req() request: FastifyRequest): Promise<{ removed: true }> {
    await this.factors.turnOff(identityOf(request).uid, await codeIn(request), request.ip);
    return { removed: true };
  }

  @Post('recovery-codes')
  @HttpCode(200)
  @Describe(
    'Makes new recovery codes, and ends the old ones; needs a code. They are shown in this answer only.',
  )
  async renew(@Req() request: FastifyRequest): Promise<{ recoveryCodes: readonly string[] }> {
    const { uid } = identityOf(request);
    return {
      recoveryCodes: await this.factors.renewRecoveryCodes(uid, await codeIn(request), request.ip),
    };
  }
}

const shown = ({ id, name, createdAt, usedAt }: ShownPasskey): ShownKey => ({
  id,
  name,
  since: createdAt.toISOString(),
  usedAt: usedAt?.toISOString() ?? null,
});

const codeIn = async (request: FastifyRequest): Promise<string> =>
  textField(await fieldsOf(request), 'code') ?? '';
