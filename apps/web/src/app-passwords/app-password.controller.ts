import { Controller, Delete, Get, NotFoundException, Param, Post, Put, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountGuard, AppPasswords, RequireScope, identityOf, parseChoice, strengthOf } from '#identity';
import { Describe } from '#platform';
import { fieldsOf } from '../request-fields';

const ID = /^[1-9]\d{0,14}$/;

/** An app password of the account. Times are ISO 8601 in UTC. */
interface ListedAppPassword {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly readOnly: boolean;
  readonly createdAt: string;
  /** null: never used. */
  readonly usedAt: string | null;
  /** null: it does not expire. */
  readonly expiresAt: string | null;
}

/** App passwords of the signed-in account, for its pages. */
@Controller('web/app-passwords')
@UseGuards(AccountGuard)
@RequireScope('sign-in')
export class AppPasswordPageController {
  constructor(private readonly appPasswords: AppPasswords) {}

  @Get()
  @Describe('App passwords of the account, the newest first.')
  async list(@Req() request: FastifyRequest): Promise<{ appPasswords: ListedAppPassword[] }> {
    const rows = await this.appPasswords.list(identityOf(request).uid);
    const appPasswords = rows.map(({ createdAt, usedAt, expiresAt, ...row }) => ({
      ...row,
      createdAt: createdAt.toISOString(),
      usedAt: usedAt?.toISOString() ?? null,
      expiresAt: expiresAt?.toISOString() ?? null,
    }));
    return { appPasswords };
  }

  @Post()
  @Describe('Makes an app password, which is shown in this answer only.')
  async create(@Req() request: FastifyRequest): Promise<{ id: number; secret: string }> {
    const choice = await choiceIn(request);
    return this.appPasswords.create(identityOf(request).uid, choice, strengthOf(request));
  }

  @Put(':id')
  @Describe('Changes the name, the scopes or the end of an app password.')
  async change(@Req() request: FastifyRequest, @Param('id') id: string): Promise<{ changed: true }> {
    await this.appPasswords.change(identityOf(request).uid, readId(id), await choiceIn(request));
    return { changed: true };
  }

  @Delete(':id')
  @Describe('Revokes an app password.')
  async revoke(@Req() request: FastifyRequest, @Param('id') id: string): Promise<{ revoked: true }> {
    await this.appPasswords.revoke(identityOf(request).uid, readId(id));
    return { revoked: true };
  }
}

async function choiceIn(request: FastifyRequest): Promise<ReturnType<typeof parseChoice>> {
  const { name, scopes, readOnly, expiresAt } = await fieldsOf(request);
  return parseChoice({ name, scopes, readOnly, expiresAt });
}

/** @throws NotFoundException */
export function readId(id: string): number {
  if (!ID.test(id)) throw new NotFoundException();
  return Number(id);
}
