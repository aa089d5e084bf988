import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user who can sign in. Ids are unique regardless of case and keep the case they were made with. */
@Entity('user_account')
export class UserAccountEntity {
  @PrimaryColumn('text') uid!: string;
  @Column('text', { name: 'display_name' }) displayName!: string;
  @Column('text', { nullable: true }) email!: string | null;
  @Column('text', { name: 'password_hash' }) passwordHash!: string;
  @Column('boolean', { default: true }) enabled!: boolean;
  /** NULL: unlimited. */
  @Column('bigint', { name: 'quota_bytes', nullable: true }) quotaBytes!: number | null;
  @Column('text', { default: 'en' }) language!: string;
  @Column('integer', { name: 'credentials_version', default: 1 }) credentialsVersion!: number;
  @Column('timestamptz', { name: 'created_at', default: () => 'now()' }) createdAt!: Date;
  @Column('timestamptz', { name: 'last_login_at', nullable: true }) lastLoginAt!: Date | null;
}
