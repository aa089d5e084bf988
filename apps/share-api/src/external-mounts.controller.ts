import { Controller, Get, UseGuards } from '@nestjs/common';
import { RequireScope } from '#identity';
import { ocsPaths, OcsGuard, ok, type OcsReply } from '#ocs/http';
import { Describe } from '#platform';

/** Answers clients that ask which of a user's folders are external storages: there are none here. */
@Controller(ocsPaths('apps/files_external/api/v1/mounts'))
@RequireScope('files')
@UseGuards(OcsGuard)
export class ExternalMountsController {
  @Get()
  @Describe('Lists the external storages of the caller: there are none on this server.')
  list(): OcsReply {
    return ok([]);
  }
}
