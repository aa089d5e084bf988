import { Controller, Get, NotFoundException, Param } from '@nestjs/common';
import { JsonReply } from '../json-reply';
import { DiscoveryDocuments } from './discovery-documents';

/** Discovery answers in maintenance too: who cannot discover a server takes it for none. */
@Controller()
export class DiscoveryController {
  constructor(private readonly documents: DiscoveryDocuments) {}

  @Get(['.well-known/ocm', 'ocm-provider'])
  async ocm(): Promise<JsonReply> {
    return new JsonReply(200, await this.documents.ocm());
  }

  /** The form with a slash is the only one that ownCloud asks for. */
  @Get('ocm-provider/*')
  async ocmFolder(@Param('*') rest: string): Promise<JsonReply> {
    assertIndex(rest);
    return this.ocm();
  }

  @Get('ocs-provider')
  ocs(): JsonReply {
    return new JsonReply(200, this.documents.ocs());
  }

  @Get('ocs-provider/*')
  ocsFolder(@Param('*') rest: string): JsonReply {
    assertIndex(rest);
    return this.ocs();
  }
}

function assertIndex(rest: string): void {
  if (rest !== '' && rest !== 'index.php') throw new NotFoundException();
}
