import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { assertInService, CachedPolicy } from '#settings';
import { TreeFailure } from '#storage';
import { TokenAccess } from '../dav/token-access';

/**
 * Tells deployed servers whether a share still exists. They ask when they cannot get its content, and delete the share
 * for 401, 403 or 404.
 */
@Controller('index.php/apps/files_sharing/shareinfo')
export class ShareInfoController {
  constructor(
    private readonly access: TokenAccess,
    private readonly policy: CachedPolicy,
  ) {}

  /** @throws TreeFailure `not-found` if there is no such share (any more); AccessSuspended, BudgetSpent */
  @Post()
  @HttpCode(200)
  async exists(@Req() request: FastifyRequest): Promise<{ status: 'unsupported' }> {
    await assertInService(this.policy);
    const { t: token } = request.query as { t?: unknown };
    if (typeof token !== 'string' || !(await this.access.knows(token, request.ip)))
      throw new TreeFailure('not-found', 'There is no such share');
    // The listing of all content, which these servers also offer here, is read by WebDAV.
    return { status: 'unsupported' };
  }
}
