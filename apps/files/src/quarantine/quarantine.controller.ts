import { Controller, Delete, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DavFailure, Quarantine, TreeWriter } from '#storage';
import { assertAdministrator } from '../dav/assert-administrator';
import { noContent, type DavReply } from '../dav/dav-reply';
import { SignedInGuard } from '../dav/signed-in.guard';

const ID = /^\d{1,15}$/;

/** Decisions of administrators on quarantined uploads, as with `drawbridge quarantine`. Contents cannot be downloaded here. */
@Controller('remote.php/dav/quarantine/:id')
@UseGuards(SignedInGuard)
export class QuarantineController {
  constructor(
    private readonly quarantine: Quarantine,
    private readonly writer: TreeWriter,
  ) {}

  /** Writes an upload to its intended place, without a scan. */
  @Post()
  async release(@Req() request: FastifyRequest, @Param('id') id: string): Promise<DavReply> {
    assertAdministrator(request);
    if ((await this.quarantine.release(idIn(id), this.writer)) === undefined) throw unknown();
    return noContent();
  }

  /** Permanently removes an upload. */
  @Delete()
  async remove(@Req() request: FastifyRequest, @Param('id') id: string): Promise<DavReply> {
    assertAdministrator(request);
    if (!(await this.quarantine.remove(idIn(id)))) throw unknown();
    return noContent();
  }
}

/** @throws DavFailure `not-found` for an invalid id */
function idIn(text: string): number {
  if (!ID.test(text)) throw unknown();
  return Number(text);
}

const unknown = (): DavFailure => new DavFailure('not-found', 'There is no such upload in quarantine');
