import {
  BadRequestException,
  Controller,
  Get,
  Header,
  HttpCode,
  NotFoundException,
  Post,
  Query,
  Req,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  AuthenticationFailed,
  issuerNoteCookie,
  IssuerLogouts,
  IssuerSignIns,
  PendingSignIns,
  readIssuerNote,
  TrustedIssuer,
} from '#identity';
import { languageOf, RedirectReply } from '#pages';
import { actAs, Describe, PublicAddress, type EdgeReply } from '#platform';
import { assertInService, CachedPolicy } from '#settings';
import { fieldsOf, textField } from '../request-fields';
import { BrowserEntry } from './browser-entry';
import { readReturnAddress } from './return-address';
import { FactorPages } from './factor-pages';
import { signInPage, tlsNeededPage } from './sign-in-page';
import type { SignInFault } from './sign-in-texts';

const CALLBACK = '/login/oidc/callback';

/** Signs browsers in at the issuer of OpenID Connect, and out when the issuer says so. */
@Controller('login/oidc')
export class IssuerSignInController {
  constructor(
    private readonly signIns: IssuerSignIns,
    private readonly logouts: IssuerLogouts,
    private readonly pending: PendingSignIns,
    private readonly factorPages: FactorPages,
    private readonly entry: BrowserEntry,
    private readonly trusted: TrustedIssuer,
    private readonly policy: CachedPolicy,
    private readonly publicAddress: PublicAddress,
  ) {}

  @Get()
  @Describe(
    'Sends a browser to the issuer of OpenID Connect to sign in; 404 where none is configured for the pages.',
  )
  async begin(@Req() request: FastifyRequest, @Query('next') next: unknown): Promise<EdgeReply> {
    await this.assertOpen();
    if (!this.entry.keepsCookies()) return tlsNeededPage(languageOf(request.headers));
    const to = readReturnAddress(next);
    try {
      const { address, note } = await this.signIns.begin(this.publicAddress.url + CALLBACK, to);
      return new RedirectReply(address, { 'set-cookie': issuerNoteCookie(note) });
    } catch (error) {
      return this.refuse(request, error, to);
    }
  }

  @Get('callback')
  @Describe('Signs in a browser that returns from the issuer.')
  async finish(@Req() request: FastifyRequest): Promise<EdgeReply> {
    await this.assertOpen();
    const note = readIssuerNote(request.headers.cookie);
    const next = this.signIns.nextOf(note);
    try {
      const { search } = new URL(request.url, this.publicAddress.url);
      const signIn = await this.signIns.finish(new URL(this.publicAddress.url + CALLBACK + search), note);
      const { account, strength, session: atIssuer } = signIn;
      actAs({ kind: 'user', uid: account.uid });
      if (account.hasSecondFactor && strength === 'one_factor')
        return await this.factorPages.show(account, {
          ...this.entry.page(request, next),
          pending: this.pending.begin(account, atIssuer),
        });
      return await this.entry.open(request, { account, strength, atIssuer }, next);
    } catch (error) {
      return this.refuse(request, error, next);
    }
  }

  @Post('logout')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @Describe(
    'Receives the message of the issuer that a person has signed out there, and ends their sessions and tokens here.',
  )
  async signOut(@Req() request: FastifyRequest): Promise<{ ended: true }> {
    await this.assertOpen();
    await this.logouts.take(textField(await fieldsOf(request), 'logout_token') ?? '').catch(refusedLogout);
    return { ended: true };
  }

  private async assertOpen(): Promise<void> {
    if (!this.trusted.signsBrowsersIn) throw new NotFoundException();
    await assertInService(this.policy);
  }

  private refuse(request: FastifyRequest, error: unknown, next: string | undefined): EdgeReply {
    if (!(error instanceof AuthenticationFailed)) throw error;
    return signInPage({ ...this.entry.page(request, next), fault: faultOf(error) });
  }
}

/** Source: OpenID Connect Back-Channel Logout 1.0, section 2.8. */
function refusedLogout(error: unknown): never {
  if (!(error instanceof AuthenticationFailed) || error.reason === 'busy') throw error;
  throw new BadRequestException('The logout token was refused');
}

function faultOf({ reason }: AuthenticationFailed): SignInFault {
  if (reason === 'missing') return 'over';
  return reason === 'busy' || reason === 'disabled' ? reason : 'refusedByIssuer';
}
