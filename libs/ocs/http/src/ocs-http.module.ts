import { Module } from '@nestjs/common';
import { IdentityModule } from '#identity';
import { SettingsModule } from '#settings';
import { OcsErrorPresenter } from './ocs-error-presenter';
import { OcsGuard } from './ocs-guard';
import { WrongVerbs } from './wrong-verbs';

/** Imports that every app with OCS routes needs. */
@Module({
  imports: [IdentityModule, SettingsModule],
  providers: [OcsErrorPresenter, OcsGuard, WrongVerbs],
  exports: [OcsErrorPresenter, OcsGuard, IdentityModule],
})
export class OcsHttpModule {}

/** The two controller paths of a route: under v1.php and under v2.php. */
export function ocsPaths(route: string): string[] {
  return [`ocs/v1.php/${route}`, `ocs/v2.php/${route}`];
}
