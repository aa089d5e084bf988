import { type CustomDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { RouteScope } from './app-password-rights';

const REQUIRED_SCOPE = 'scope that a route requires';

/** Says which app passwords a controller or a route is for. Without it they need the scope `administration`. */
export const RequireScope = (scope: RouteScope): CustomDecorator => SetMetadata(REQUIRED_SCOPE, scope);

/** The scope that a request needs: of its route, or else of its controller. */
export function routeScopeOf(context: ExecutionContext): RouteScope {
  const [ofRoute, ofController] = [context.getHandler(), context.getClass()].map(
    (target) => Reflect.getMetadata(REQUIRED_SCOPE, target) as RouteScope | undefined,
  );
  return ofRoute ?? ofController ?? 'administration';
}
