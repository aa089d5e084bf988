import { Module, type OnModuleInit } from '@nestjs/common';
import { IdentityModule } from '#identity';
import { ErrorPresenters } from '#platform';
import { ScimErrorPresenter } from './scim-error.presenter';
import { ScimGroupsController } from './scim-groups.controller';
import { ScimServiceController } from './scim-service.controller';
import { ScimUsersController } from './scim-users.controller';
import { ScimGuard } from './scim.guard';

/** Provisioning of accounts and groups by directories, over SCIM 2.0. */
@Module({
  imports: [IdentityModule],
  controllers: [ScimServiceController, ScimUsersController, ScimGroupsController],
  providers: [ScimErrorPresenter, ScimGuard],
})
export class ScimModule implements OnModuleInit {
  constructor(
    private readonly presenters: ErrorPresenters,
    private readonly errors: ScimErrorPresenter,
  ) {}

  onModuleInit(): void {
    this.presenters.add(this.errors);
  }
}
