import { Injectable } from '@nestjs/common';
import { ShareeRepository } from '#persistence';
import { CachedPolicy } from '#settings';
import type { FindPersonPorts } from '#sharing';

/** Ports of the look-up of accounts whose pictures are asked for. */
@Injectable()
export class AvatarPeople implements FindPersonPorts {
  constructor(
    readonly policy: CachedPolicy,
    readonly directory: ShareeRepository,
  ) {}
}
