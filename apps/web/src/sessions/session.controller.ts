import { Controller, Delete, Get, NotFoundException, Param, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  AccountGuard,
  BrowserSessions,
  RequireScope,
  identityOf,
  requestTokenOf,
  sessionOf,
} from '#identity';
import { Describe } from '#platform';
import { programOf } from './program-of';

const SESSION_ID = /^[1-9]\d{0,14}$/;

/** The account of a page, and the token for its changes. */
interface CurrentSession {
  readonly uid: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly isAdmin: boolean;
  /** Whether the account has to set up a second factor before anything else. */
  readonly lacksSecondFactor: boolean;
  /** For the header `requesttoken`; null if the request contained credentials itself. */
  readonly requestToken: string | null;
}

/** A signed-in browser of the account. Times are ISO 8601 in UTC. */
interface ListedSession {
  readonly id: number;
  readonly isCurrent: boolean;
  readonly userAgent: string;
  /** The program in plain words; null if it is not known. */
  readonly program: string | null;
  readonly system: string | null;
  readonly address: string;
  readonly createdAt: string;
  readonly usedAt: string;
  readonly endsAt: string;
}

/** Sessions of the signed-in account, for its pages. */
@Controller('web')
@RequireScope('sign-in')
@UseGuards(AccountGuard)
export class SessionController {
  constructor(private readonly sessions: BrowserSessions) {}

  @Get('session')
  @RequireScope('second-factor')
  @Describe('The account that is signed in, and the token that its changes need.')
  current(@Req() request: FastifyRequest): CurrentSession {
    const { uid, displayName, email, isAdmin } = identityOf(request);
    const session = sessionOf(request);
    const requestToken = session ? requestTokenOf(session.secret) : null;
    const lacksSecondFactor = session?.lacksSecondFactor ?? false;
    return { uid, displayName, email, isAdmin, lacksSecondFactor, requestToken };
  }

  @Get('sessions')
  @Describe('Browsers in which the account is signed in, the one used last first.')
  async list(@Req() request: FastifyRequest): Promise<{ sessions: ListedSession[] }> {
    const currentId = sessionOf(request)?.id;
    const rows = await this.sessions.list(identityOf(request).uid);
    const sessions = rows.map(({ id, userAgent, address, createdAt, usedAt, endsAt }) => ({
      id,
      isCurrent: id === currentId,
      userAgent,
      ...programOf(userAgent),
      address,
      createdAt: createdAt.toISOString(),
      usedAt: usedAt.toISOString(),
      endsAt: endsAt.toISOString(),
    }));
    return { sessions };
  }

  @Delete('sessions')
  @Describe('Ends all sessions of the account except that of the caller.')
  async endOthers(@Req() request: FastifyRequest): Promise<{ ended: true }> {
    await this.sessions.endOthers(identityOf(request).uid, sessionOf(request)?.id);
    return { ended: true };
  }

  @Delete('sessions/:id')
  @Describe('Ends one session of the account.')
  async end(@Req() request: FastifyRequest, @Param('id') id: string): Promise<{ ended: true }> {
    const { uid } = identityOf(request);
    if (!SESSION_ID.test(id) || !(await this.sessions.end(uid, Number(id))))
      throw new NotFoundException('There is no such session');
    return { ended: true };
  }
}
