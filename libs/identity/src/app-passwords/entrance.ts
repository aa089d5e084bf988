import { type CustomDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Entrance } from './app-password-rights';

const ENTRANCE = 'entrance for app passwords';

/** Says which app passwords a controller or a route is for. Without it they need the scope `administration`. */
export const EntranceFor = (entrance: Entrance): CustomDecorator => SetMetadata(ENTRANCE, entrance);

/** The entrance that a request comes to: its route's own, or its controller's. */
export function entranceOf(context: ExecutionContext): Entrance {
  const [ofRoute, ofController] = [context.getHandler(), context.getClass()].map(
    (target) => Reflect.getMetadata(ENTRANCE, target) as Entrance | undefined,
  );
  return ofRoute ?? ofController ?? 'administration';
}
