import { Controller, Get, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { assertAdministrator, OcsFailure, OcsGuard, OcsInput, ocsPaths, ok, type OcsReply } from '#ocs/http';
import { text, type InputOf } from '#ocs/protocol';
import { Describe } from '#platform';
import { DoctorRun } from './doctor-run';
import { OperationOverview, SPAN_NAMES } from './operation-overview';

const SAMPLES = {
  span: text('The last day in parts of five minutes, or the last month in parts of three hours.', {
    enum: SPAN_NAMES,
    default: 'hours',
  }),
};

/** State of the instance, now and over time; for administrators. */
@Controller(ocsPaths('apps/drawbridge/api/v1/operation'))
@UseGuards(OcsGuard)
export class OperationOverviewController {
  constructor(
    private readonly overview: OperationOverview,
    private readonly doctor: DoctorRun,
  ) {}

  @Get()
  @Describe(
    'Shows processes, the database, deliveries, failures by class and partners by trust; for administrators.',
  )
  async now(@Req() request: FastifyRequest): Promise<OcsReply> {
    assertAdministrator(request);
    return ok(await this.overview.now());
  }

  @Get('samples')
  @Describe('Shows deliveries over time; a part in which no worker ran is left out. For administrators.')
  async samples(
    @Req() request: FastifyRequest,
    @OcsInput(SAMPLES) { span = 'hours' }: InputOf<typeof SAMPLES>,
  ): Promise<OcsReply> {
    assertAdministrator(request);
    const known = SPAN_NAMES.find((one) => one === span);
    if (!known) throw new OcsFailure(400, `span is one of ${SPAN_NAMES.join(', ')}`);
    return ok(await this.overview.samples(known));
  }

  @Get('findings')
  @Describe(
    'Runs the doctor, which looks at database, queue, contents, keys, the public address and more, and shows its findings; for administrators.',
  )
  async findings(@Req() request: FastifyRequest): Promise<OcsReply> {
    assertAdministrator(request);
    return ok(await this.doctor.findings());
  }
}
