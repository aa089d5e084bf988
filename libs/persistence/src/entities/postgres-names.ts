import { DefaultNamingStrategy, type NamingStrategyInterface, type Table } from 'typeorm';

/** TypeORM makes this table itself. In databases of every release its key has TypeORM's own name. */
const MADE_BY_TYPEORM = 'schema_migration';

/** Names columns in snake case, and constraints as Postgres does when a statement leaves their names out. */
export class PostgresNames extends DefaultNamingStrategy implements NamingStrategyInterface {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }

  override primaryKeyName(table: Table | string, columnNames: string[]): string {
    const name = this.getTableName(table);
    return name === MADE_BY_TYPEORM ? super.primaryKeyName(table, columnNames) : `${name}_pkey`;
  }

  override uniqueConstraintName(table: Table | string, columnNames: string[]): string {
    return [this.getTableName(table), ...columnNames, 'key'].join('_');
  }

  /** The unique column of a one-to-one relation. */
  override relationConstraintName(table: Table | string, columnNames: string[]): string {
    return this.uniqueConstraintName(table, columnNames);
  }

  override foreignKeyName(table: Table | string, columnNames: string[]): string {
    return [this.getTableName(table), ...columnNames, 'fkey'].join('_');
  }
}
