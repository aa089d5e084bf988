import 'reflect-metadata';
import { RequestMethod, type INestApplicationContext } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { ModulesContainer } from '@nestjs/core';

export interface Route {
  readonly method: string;
  /** As a controller declares it, with `:name` and wild cards. */
  readonly path: string;
}

/** Every route that the app's controllers declare. */
export function routesOf(nest: INestApplicationContext): Route[] {
  const modules = [...nest.get(ModulesContainer).values()];
  const controllers = modules.flatMap((module) =>
    [...module.controllers.values()].map(({ metatype }) => metatype),
  );
  return [...new Set(controllers)].flatMap((controller) =>
    controller ? routesOfController(controller) : [],
  );
}

function routesOfController(controller: object & { prototype: object }): Route[] {
  const handlers = Object.getOwnPropertyNames(controller.prototype).map(
    (name) => (controller.prototype as Record<string, object>)[name]!,
  );
  return pathsOf(controller).flatMap((prefix) =>
    handlers
      .filter((handler) => Reflect.hasMetadata(METHOD_METADATA, handler))
      .flatMap((handler) =>
        pathsOf(handler).map((path) => ({ method: methodOf(handler), path: join(prefix, path) })),
      ),
  );
}

const pathsOf = (target: object): string[] =>
  [Reflect.getMetadata(PATH_METADATA, target) as string | string[]].flat();
const methodOf = (handler: object): string =>
  RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
const join = (...parts: string[]): string =>
  `/${parts.join('/')}`.replace(/\/+/g, '/').replace(/(.)\/$/, '$1');
