import { Controller, Get, HttpCode, NotFoundException, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BrowserSessions, CallLimits, isRequestToken, LoginFlows, requestTokenOf } from '#identity';
import { languageOf, RedirectReply } from '#pages';
import { actAs, Describe, PublicAddress, type EdgeReply } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { fieldsOf, textField } from '../request-fields';
import { grantedPage, grantPage, overPage } from './login-flow-pages';

/** Next steps of a client: open one address in a browser, and poll the other one for the result. */
interface Begun {
  readonly poll: { readonly token: string; readonly endpoint: string };
  readonly login: string;
}

/** Login flow version 2 of Nextcloud's clients. */
@Controller(['login/v2', 'index.php/login/v2'])
export class LoginFlowController {
  constructor(
    private readonly flows: LoginFlows,
    private readonly sessions: BrowserSessions,
    private readonly limits: CallLimits,
    private readonly policy: CachedPolicy,
    private readonly publicAddress: PublicAddress,
  ) {}

  @Post()
  @HttpCode(200)
  @Describe('Starts the sign-in of a client that requests an app password.')
  async begin(@Req() request: FastifyRequest): Promise<Begun> {
    await assertInService(this.policy);
    await this.limits.loginFlow(request.ip);
    const { loginToken, pollToken } = await this.flows.begin(request.headers['user-agent'], request.ip);
    const base = `${this.publicAddress.url}/login/v2`;
    return {
      poll: { token: pollToken, endpoint: `${base}/poll` },
      login: `${base}/flow/${loginToken}`,
    };
  }

  @Post('poll')
  @HttpCode(200)
  @Describe('Gives the client its app password, once; 404 until the user has granted it.')
  async poll(
    @Req() request: FastifyRequest,
  ): Promise<{ server: string; loginName: string; appPassword: string }> {
    await assertInService(this.policy);
    await this.limits.call(request.ip);
    const fetched = await this.flows.fetch(textField(await fieldsOf(request), 'token') ?? '');
    if (!fetched) throw new NotFoundException();
    return { server: this.publicAddress.url, loginName: fetched.uid, appPassword: fetched.secret };
  }

  @Get('flow/:token')
  @Describe(
    'The page on which a user grants a client an app password; without a session, it leads to the sign-in.',
  )
  async show(@Req() request: FastifyRequest, @Param('token') token: string): Promise<EdgeReply> {
    await assertInService(this.policy);
    await this.limits.call(request.ip);
    const flow = await this.flows.find(token);
    const language = languageOf(request.headers);
    if (!flow) return overPage(language);
    const action = this.pathOf(token);
    const found = await this.sessions.find(request.headers.cookie);
    if (!found || found.session.lacksSecondFactor)
      return new RedirectReply(`${this.publicAddress.path}/login?next=${encodeURIComponent(action)}`);
    const requestToken = requestTokenOf(found.session.secret);
    return grantPage(flow, { action, uid: found.account.uid, requestToken }, language);
  }

  /** The page's token is required, so that the page of another site cannot grant anything. */
  @Post('flow/:token')
  @HttpCode(200)
  @Describe('Grants a client an app password, from the session of a browser.')
  async grant(@Req() request: FastifyRequest, @Param('token') token: string): Promise<EdgeReply> {
    await assertInService(this.policy);
    const fields = await fieldsOf(request);
    const found = await this.sessions.find(request.headers.cookie);
    if (
      !found ||
      found.session.lacksSecondFactor ||
      !isRequestToken(found.session.secret, textField(fields, 'requesttoken'))
    )
      return new RedirectReply(this.pathOf(token));
    const { uid } = found.account;
    actAs({ kind: 'user', uid });
    const { strength } = found.session;
    const readOnly = textField(fields, 'readOnly') === 'yes';
    const isGranted = await this.flows.grant(token, { uid, readOnly, strength });
    const language = languageOf(request.headers);
    return isGranted ? grantedPage(language) : overPage(language);
  }

  private pathOf(token: string): string {
    return `${this.publicAddress.path}/login/v2/flow/${encodeURIComponent(token)}`;
  }
}
