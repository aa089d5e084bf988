import { type CustomDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { RouteScope } from './app-password-rights';

const REQUIRED_SCOPE = 'scope that a route requires';

/** Sets the scope that app passwords need for a controller or a route. The default is `administration`. */
export const RequireScope = (scope: RouteScope): CustomDecorator => SetMetadata(REQUIRED_SCOPE, scope);

/** The scope that a request needs: that of its route, otherwise of its controller. */
export function routeScopeOf(context: ExecutionContext): RouteScope {
  const [ofRoute, ofController] = [context.getHandler(), context.getClass()].map(
    (target) => Reflect.getMetadata(REQUIRED_SCOPE, target) as RouteScope | undefined,
  );
  return ofRoute ?? ofController ?? 'administration';
}
