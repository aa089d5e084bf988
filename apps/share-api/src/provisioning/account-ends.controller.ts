import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountEnds, identityOf, type EndState } from '#identity';
import { assertAdministrator, OcsFailure, OcsGuard, OcsInput, ocsPaths, ok, type OcsReply } from '#ocs/http';
import { needed, text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';

const REQUEST = {
  how: needed(text('Whether files and shares are transferred or removed.', { enum: ['transfer', 'remove'] })),
  transferTo: text('For a transfer: id of the account that gets the files and shares.'),
  graceDays: text(
    'Days until the end, which can be cancelled until then. By default 0 for a transfer, and the value of the setting for a removal.',
    {
      minimum: 0,
      type: 'integer',
    },
  ),
};

/** The end of an account: a preview, the request, and its undoing; for administrators. */
@Controller(ocsPaths('apps/drawbridge/api/v1/account-ends'))
@UseGuards(OcsGuard)
export class AccountEndsController {
  constructor(private readonly ends: AccountEnds) {}

  @Get(':uid')
  @Describe(
    'Counts what the end of an account would transfer or remove, and shows a requested end; for administrators.',
  )
  async read(@Req() request: FastifyRequest, @Param('uid') uid: string): Promise<OcsReply> {
    assertAdministrator(request);
    const state = await this.ends.state(uid);
    return ok({ preview: await this.ends.preview(uid), end: state ? record(state) : null });
  }

  @Post(':uid')
  @Describe(
    'Disables an account now and ends it after its grace time, by transfer or removal; for administrators.',
  )
  async request(
    @Req() request: FastifyRequest,
    @Param('uid') uid: string,
    @OcsInput(REQUEST) { how, transferTo, graceDays }: InputOf<typeof REQUEST>,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    if (identityOf(request).uid.toLowerCase() === uid.toLowerCase())
      throw new OcsFailure(400, 'Your own account cannot be ended by you');
    if (how === 'transfer' ? !transferTo : how !== 'remove' || transferTo)
      throw new OcsFailure(400, 'how is transfer, with transferTo, or remove');
    const days = graceDays ? { graceDays: daysIn(graceDays) } : {};
    return ok(record(await this.ends.request(uid, { ...days, ...(transferTo ? { transferTo } : {}) })));
  }

  @Delete(':uid')
  @Describe('Cancels the end of an account during its grace time; for administrators.')
  async undo(@Req() request: FastifyRequest, @Param('uid') uid: string): Promise<OcsReply> {
    assertAdministrator(request);
    await this.ends.undo(uid);
    return ok();
  }
}

const daysIn = (given: string): number => (/^\d{1,9}$/.test(given) ? Number(given) : -1);

const record = ({
  uid,
  transferTo,
  requestedAt,
  dueAt,
  beganAt,
}: EndState): Readonly<Record<string, string | null>> => ({
  uid,
  transferTo,
  requestedAt: requestedAt.toISOString(),
  dueAt: dueAt.toISOString(),
  beganAt: beganAt?.toISOString() ?? null,
});
