import { Controller, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AuthenticationFailed, RequestAuthenticator, type Account } from '#identity';
import { OcsFailure, OcsInput, ocsPaths, ok, type OcsReply } from '#ocs/http';
import { needed, text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { assertInService, CachedPolicy } from '#settings';

const INCOMPLETE = 101;
const WRONG = 102;

const CHECK = {
  login: needed(text('The user id.')),
  password: needed(text('Their password.', { format: 'password' })),
};

/** Checks whether a user id and a password belong together. The call itself needs no credentials. */
@Controller(ocsPaths('person/check'))
export class PersonController {
  constructor(
    private readonly authenticator: RequestAuthenticator,
    private readonly policy: CachedPolicy,
  ) {}

  @Post()
  @Describe('Checks a user id and password. The number of failed attempts is limited, as for every sign-in.')
  async check(
    @Req() request: FastifyRequest,
    @OcsInput(CHECK) { login = '', password = '' }: InputOf<typeof CHECK>,
  ): Promise<OcsReply> {
    await assertInService(this.policy);
    if (login === '' || password === '') throw new OcsFailure(INCOMPLETE, null);
    const account = await this.find(login, password, request.ip);
    return ok({ person: { personid: account.uid } });
  }

  /** A disabled account gets the same refusal as a wrong password, because it cannot sign in. */
  private async find(uid: string, password: string, address: string): Promise<Account> {
    try {
      return (await this.authenticator.check({ uid, password }, address)).account;
    } catch (error) {
      const isRefused =
        error instanceof AuthenticationFailed && (error.reason === 'wrong' || error.reason === 'disabled');
      throw isRefused ? new OcsFailure(WRONG, null) : error;
    }
  }
}
