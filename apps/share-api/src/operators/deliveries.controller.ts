import { Controller, Delete, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { MESSAGE_STATES, type MessageState } from '#federation/exchange';
import { assertAdministrator, OcsFailure, OcsGuard, OcsInput, ocsPaths, ok, type OcsReply } from '#ocs/http';
import { text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { OperatedDeliveries } from './operated-deliveries';

const LIMIT = { most: 500, usual: 100 };
const MAX_TEXT = 512;

const CHOSEN = {
  host: text('Only messages to this partner.'),
  errorClass: text('Only messages with this class of failure.'),
  share: text('Only messages about the outgoing share with this id.'),
};
const LIST = {
  ...CHOSEN,
  state: text('Only messages in this state.', { enum: MESSAGE_STATES }),
  after: text('Id of the last message of the page before.'),
  limit: text(`Maximum number of messages; ${LIMIT.usual} by default.`, {
    minimum: 1,
    maximum: LIMIT.most,
    type: 'integer',
  }),
};

/** Messages to partners; for administrators. */
@Controller(ocsPaths('apps/drawbridge/api/v1/deliveries'))
@UseGuards(OcsGuard)
export class DeliveriesController {
  constructor(private readonly deliveries: OperatedDeliveries) {}

  @Get()
  @Describe('Lists messages to partners in the order in which they were written; for administrators.')
  async list(@Req() request: FastifyRequest, @OcsInput(LIST) input: InputOf<typeof LIST>): Promise<OcsReply> {
    assertAdministrator(request);
    const after = numberIn('after', input.after, Number.MAX_SAFE_INTEGER, 0);
    const limit = numberIn('limit', input.limit, LIMIT.most, LIMIT.usual);
    const selection = { ...chosenIn(input), states: statesIn(input.state) };
    return ok(await this.deliveries.list(selection, after, limit));
  }

  @Post('replay')
  @Describe(
    'Sends messages again that were given up: all, or those of one partner, class of failure or share; for administrators.',
  )
  async replayDead(
    @Req() request: FastifyRequest,
    @OcsInput(CHOSEN) input: InputOf<typeof CHOSEN>,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    return ok({ replayed: await this.deliveries.replayDead(chosenIn(input)) });
  }

  @Get(':id')
  @Describe('Reads a message with all attempts to deliver it; for administrators.')
  async read(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    assertAdministrator(request);
    const found = await this.deliveries.find(idIn(id));
    if (!found) throw unknown();
    return ok(found);
  }

  @Post(':id/retry')
  @Describe('Tries a message that waits for its next attempt now; for administrators.')
  async retry(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    assertAdministrator(request);
    return done(await this.deliveries.retry(idIn(id)));
  }

  @Post(':id/replay')
  @Describe('Sends a message again that was given up, refused or cancelled; for administrators.')
  async replay(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    assertAdministrator(request);
    return done(await this.deliveries.replay(idIn(id)));
  }

  @Delete(':id')
  @Describe('Gives up a message that is not being sent right now; for administrators.')
  async cancel(@Req() request: FastifyRequest, @Param('id') id: string): Promise<OcsReply> {
    assertAdministrator(request);
    return done(await this.deliveries.cancel(idIn(id)));
  }
}

const unknown = (): OcsFailure => new OcsFailure(404, 'There is no such message, or it is in another state');

function done(isDone: boolean): OcsReply {
  if (!isDone) throw unknown();
  return ok();
}

function idIn(id: string): number {
  if (!/^\d{1,15}$/.test(id)) throw unknown();
  return Number(id);
}

function chosenIn({ host, errorClass, share }: InputOf<typeof CHOSEN>) {
  const isTooLong = [host, errorClass].some((value) => (value ?? '').length > MAX_TEXT);
  if (isTooLong) throw new OcsFailure(400, 'host or errorClass is too long');
  const shareId = share ? numberIn('share', share, Number.MAX_SAFE_INTEGER, 0) : undefined;
  return {
    ...(host ? { host } : {}),
    ...(errorClass ? { errorClass } : {}),
    ...(shareId === undefined ? {} : { share: shareId }),
  };
}

function statesIn(state: string | undefined): readonly MessageState[] | undefined {
  if (!state) return undefined;
  const known = MESSAGE_STATES.find((one) => one === state);
  if (!known) throw new OcsFailure(400, `state is one of ${MESSAGE_STATES.join(', ')}`);
  return [known];
}

function numberIn(name: string, given: string | undefined, most: number, usual: number): number {
  if (!given) return usual;
  const number = /^\d{1,16}$/.test(given) ? Number(given) : 0;
  if (number < 1 || number > most) throw new OcsFailure(400, `${name} is a number from 1 to ${most}`);
  return number;
}
