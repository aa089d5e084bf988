import { Controller, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  ACCEPTED_INVITATION,
  invitationTaken,
  parseAcceptedInvitation,
  parseBoundedJson,
} from '#federation/protocol';
import { Describe } from '#platform';
import { Admission } from '../admission';
import { JsonReply } from '../json-reply';
import { SenderProof } from '../signatures/sender-proof';
import { TakeAcceptance } from './take-acceptance';

/** Accepts acceptances of invitations. A misspelt path of the first draft is served, too, because servers use it. */
@Controller('ocm')
export class InvitationsController {
  constructor(
    private readonly admission: Admission,
    private readonly acceptances: TakeAcceptance,
    private readonly proof: SenderProof,
  ) {}

  @Post(['invite-accepted', 'invited-accepted'])
  @Describe('Receives the acceptance of an invitation.', {
    body: ACCEPTED_INVITATION,
    answers: { 200: 'The person who invited' },
  })
  async accepted(@Req() request: FastifyRequest): Promise<JsonReply> {
    const inviter = await this.admission.hear(request.ip, () =>
      this.acceptances.take(parseAcceptedInvitation(bodyOf(request)), (host) =>
        this.proof.of(request, host, 'asked'),
      ),
    );
    const { status, body } = invitationTaken(inviter);
    return new JsonReply(status, body);
  }
}

/** Reads JSON with any media type, and a form with its own, which products of the reva family can send. */
function bodyOf(request: FastifyRequest): unknown {
  if (!Buffer.isBuffer(request.body)) return undefined;
  const text = request.body.toString('utf8');
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
  return isForm && !text.trimStart().startsWith('{')
    ? Object.fromEntries(new URLSearchParams(text))
    : parseBoundedJson(text);
}
