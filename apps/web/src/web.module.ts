import { Module, type OnModuleInit } from '@nestjs/common';
import { IdentityModule } from '#identity';
import { ErrorPresenters } from '#platform';
import { SettingsModule } from '#settings';
import { AppPasswordPageController } from './app-passwords/app-password.controller';
import { DeviceTokenController, TokenController } from './app-passwords/device-token.controller';
import { ClientController } from './client/client.controller';
import { LoginFlowController } from './login-flow/login-flow.controller';
import { PushModule } from './push/push.module';
import { PasskeyController } from './second-factor/passkey.controller';
import { SecondFactorController } from './second-factor/second-factor.controller';
import { SessionController } from './sessions/session.controller';
import { BrowserEntry } from './sign-in/browser-entry';
import { FactorPages } from './sign-in/factor-pages';
import { IssuerSignInController } from './sign-in/issuer-sign-in.controller';
import { SignInController } from './sign-in/sign-in.controller';

import { WebErrorPresenter } from './web-error.presenter';

/** The pages for people, and the sessions of their browsers. */
@Module({
  imports: [IdentityModule, PushModule, SettingsModule],
  controllers: [
    AppPasswordPageController,
    ClientController,
    DeviceTokenController,
    IssuerSignInController,
    LoginFlowController,
    PasskeyController,
    SecondFactorController,
    SignInController,
    SessionController,
    TokenController,
  ],
  providers: [BrowserEntry, FactorPages, WebErrorPresenter],
})
export class WebModule implements OnModuleInit {
  constructor(
    private readonly presenters: ErrorPresenters,
    private readonly errors: WebErrorPresenter,
  ) {}

  onModuleInit(): void {
    this.presenters.add(this.errors);
  }
}
