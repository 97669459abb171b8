"""The only place with SQL: engines behind one interface, migrations, transactions."""
