import { Controller, Get, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RequireScope, identityOf, SignedAddresses } from '#identity';
import { ocsPaths, OcsGuard, okWithMessage, type OcsReply } from '#ocs/http';
import { Describe } from '#platform';

/** The caller's own account. */
@Controller(ocsPaths('cloud/user'))
@RequireScope('account')
@UseGuards(OcsGuard)
export class CurrentUserController {
  constructor(private readonly signed: SignedAddresses) {}

  @Get()
  @Describe('Reads the account of the caller.')
  read(@Req() request: FastifyRequest): OcsReply {
    const { uid, displayName, email, language } = identityOf(request);
    return okWithMessage({ id: uid, 'display-name': displayName, email, language });
  }

  @Get('signing-key')
  @RequireScope('sign-in')
  @Describe('Reads the key with which clients of the caller sign download addresses.')
  signingKey(@Req() request: FastifyRequest): OcsReply {
    const account = identityOf(request);
    return okWithMessage({ user: account.uid, 'signing-key': this.signed.keyOf(account) });
  }
}
