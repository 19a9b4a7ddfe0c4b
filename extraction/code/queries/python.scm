; What the extractor reads of a Python file. Every capture is a list of nodes in the order of the text.

(function_definition) @function
(class_definition) @class
(decorated_definition) @decorated
(lambda) @lambda
[(list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @comprehension

; Alternatives: of these blocks, not all are run.
(if_statement consequence: (block) @branch)
(elif_clause consequence: (block) @branch)
(else_clause body: (block) @branch)
(try_statement body: (block) @branch)
(except_clause (block) @branch)
(case_clause consequence: (block) @branch)

(import_statement) @import
(import_from_statement) @import
(call) @call
(return_statement) @return
(yield) @yield
(attribute) @attribute
(identifier) @identifier
(keyword_argument name: (identifier) @keyword)

(assignment) @assignment
(augmented_assignment left: (identifier)) @augmented
(named_expression) @walrus
(for_statement left: (identifier)) @loop
(for_in_clause left: (identifier)) @loop
(with_item value: (as_pattern) @entered)
(except_clause value: (as_pattern) @caught)
(global_statement) @global
(nonlocal_statement) @nonlocal

; Names that are bound in other ways.
(pattern_list (identifier) @store)
(tuple_pattern (identifier) @store)
(list_pattern (identifier) @store)
(list_splat_pattern (identifier) @store)
(for_statement left: (identifier) @store)
(for_in_clause left: (identifier) @store)
(as_pattern_target (identifier) @store)
(as_pattern_target (_ (identifier) @store))
(case_pattern (dotted_name . (identifier) @store .))
(splat_pattern (identifier) @store)

; Names that are written where they stand, so that they refer to nothing.
(function_definition name: (identifier) @name)
(class_definition name: (identifier) @name)
(parameters (identifier) @name)
(lambda_parameters (identifier) @name)
(default_parameter name: (identifier) @name)
(typed_parameter . (identifier) @name)
(typed_default_parameter name: (identifier) @name)
(assignment left: (identifier) @name)
(named_expression name: (identifier) @name)
(dictionary_splat_pattern (identifier) @name)
