// Documents that state what things are like that others speak of, too.
CREATE INDEX document_states IF NOT EXISTS FOR (d:Document) ON (d.states);
