import { Injectable } from '@nestjs/common';
import { ShareeRepository } from '#persistence';
import { CachedPolicy } from '#settings';
import type { FindPersonPorts } from '#sharing';

/** Ports for the look-up of accounts whose pictures are requested. */
@Injectable()
export class AvatarPeople implements FindPersonPorts {
  constructor(
    readonly policy: CachedPolicy,
    readonly directory: ShareeRepository,
  ) {}
}
