export { OcsErrorPresenter } from './ocs-error-presenter';
export { OcsFailure } from './ocs-failure';
export { OcsGuard } from './ocs-guard';
export { OcsHttpModule, ocsPaths } from './ocs-http.module';
export { OcsInput } from './ocs-input';
export { NO_CACHE, ok, okWithMessage, OcsReply, PreparedReply } from './ocs-reply';
export { parametersOf } from './ocs-request';
export { assertAdministrator } from './administrator';
