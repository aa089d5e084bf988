import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Req,
  UnprocessableEntityException,
  UseGuards,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  AccountGuard,
  AppPasswords,
  AuthenticationFailed,
  choiceOfClient,
  RequireScope,
  identityOf,
  MainPasswords,
  strengthOf,
} from '#identity';
import { actAs, Describe } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { differencesOf } from '#sharing';
import { fieldsOf, textField } from '../request-fields';
import { readId } from './app-password.controller';

const PERMANENT = 1;

/** An app password in the form of ownCloud's and Nextcloud's pages. */
interface DeviceToken {
  readonly id: number;
  readonly name: string;
  /** Seconds since 1970. */
  readonly lastActivity: number;
  readonly type: typeof PERMANENT;
  readonly canDelete: true;
}

/** App passwords at the addresses that pages of ownCloud and Nextcloud use. */
@Controller('index.php/settings/personal/authtokens')
@UseGuards(AccountGuard)
@RequireScope('sign-in')
export class DeviceTokenController {
  constructor(
    private readonly appPasswords: AppPasswords,
    private readonly policy: CachedPolicy,
  ) {}

  @Get()
  @Describe('App passwords of the account, as pages of ownCloud and Nextcloud read them.')
  async list(@Req() request: FastifyRequest): Promise<DeviceToken[]> {
    const rows = await this.appPasswords.list(identityOf(request).uid);
    return rows.map(({ id, name, usedAt, createdAt }) => deviceToken(id, name, usedAt ?? createdAt));
  }

  @Post()
  @HttpCode(200)
  @Describe(
    'Makes an app password for files and sharing, which is shown in this answer only. With COMPATIBILITY=owncloud10 it also permits administration, if its owner is an administrator.',
  )
  async create(
    @Req() request: FastifyRequest,
  ): Promise<{ token: string; loginName: string; deviceToken: DeviceToken }> {
    const { uid } = identityOf(request);
    const { pageTokensAdminister } = differencesOf(this.policy.compatibility);
    const choice = choiceOfClient(textField(await fieldsOf(request), 'name'), pageTokensAdminister);
    const { id, secret } = await this.appPasswords.create(uid, choice, strengthOf(request));
    return { token: secret, loginName: uid, deviceToken: deviceToken(id, choice.name, new Date()) };
  }

  @Delete(':id')
  @Describe('Revokes an app password.')
  async revoke(@Req() request: FastifyRequest, @Param('id') id: string): Promise<[]> {
    await this.appPasswords.revoke(identityOf(request).uid, readId(id));
    return [];
  }
}

/** Makes app passwords for clients of ownCloud that send the main password. */
@Controller(['token/generate', 'index.php/token/generate'])
export class TokenController {
  constructor(
    private readonly passwords: MainPasswords,
    private readonly appPasswords: AppPasswords,
    private readonly policy: CachedPolicy,
  ) {}

  /** If main passwords are only for the sign-in page, this one is not checked. */
  @Post()
  @HttpCode(200)
  @Describe('Makes an app password for files and sharing, from a user name and the main password.')
  async generate(@Req() request: FastifyRequest): Promise<{ token: string }> {
    await assertInService(this.policy);
    const fields = await fieldsOf(request);
    const [user, password] = [textField(fields, 'user'), textField(fields, 'password')];
    if (user === undefined || password === undefined) throw new UnprocessableEntityException();
    if ((await this.policy.current()).clientsNeedAppPasswords) throw new AuthenticationFailed('wrong');
    const { uid } = await this.passwords.checkAlone({ uid: user, password }, request.ip);
    actAs({ kind: 'user', uid });
    const choice = choiceOfClient(textField(fields, 'name'));
    const { secret } = await this.appPasswords.create(uid, choice, 'one_factor');
    return { token: secret };
  }
}

const deviceToken = (id: number, name: string, usedAt: Date): DeviceToken => ({
  id,
  name,
  lastActivity: Math.floor(usedAt.getTime() / 1000),
  type: PERMANENT,
  canDelete: true,
});
